from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="AssignmentsIn")


@_attrs_define
class AssignmentsIn:
    """The new set of technicians of a job.

    Attributes:
        membership_ids (list[str]): All technicians of the job, in display order; an empty list removes them. See
            `listTechnicians`.
        expected_version (int): The `version` of the job that you have read. If it is not the current one, the response
            is 409 `stale_version`.
    """

    membership_ids: list[str]
    expected_version: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        membership_ids = self.membership_ids

        expected_version = self.expected_version

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "membershipIds": membership_ids,
                "expectedVersion": expected_version,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        membership_ids = cast(list[str], d.pop("membershipIds"))

        expected_version = d.pop("expectedVersion")

        assignments_in = cls(
            membership_ids=membership_ids,
            expected_version=expected_version,
        )

        assignments_in.additional_properties = d
        return assignments_in

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
