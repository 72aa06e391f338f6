from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="TechnicianAssignment")


@_attrs_define
class TechnicianAssignment:
    """A technician of a job.

    Attributes:
        membership_id (str): The technician, as in `listTechnicians`.
        assigned_at (datetime.datetime): ISO 8601 in UTC, always with milliseconds and `Z`.
    """

    membership_id: str
    assigned_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        membership_id = self.membership_id

        assigned_at = self.assigned_at.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "membershipId": membership_id,
                "assignedAt": assigned_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        membership_id = d.pop("membershipId")

        assigned_at = datetime.datetime.fromisoformat(d.pop("assignedAt"))

        technician_assignment = cls(
            membership_id=membership_id,
            assigned_at=assigned_at,
        )

        technician_assignment.additional_properties = d
        return technician_assignment

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
