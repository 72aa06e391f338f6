from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="Technician")


@_attrs_define
class Technician:
    """A technician of your company.

    Attributes:
        membership_id (str): The id of the technician.
        display_name (str): The name to show.
        active (bool): Only active technicians can be assigned.
    """

    membership_id: str
    display_name: str
    active: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        membership_id = self.membership_id

        display_name = self.display_name

        active = self.active

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "membershipId": membership_id,
                "displayName": display_name,
                "active": active,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        membership_id = d.pop("membershipId")

        display_name = d.pop("displayName")

        active = d.pop("active")

        technician = cls(
            membership_id=membership_id,
            display_name=display_name,
            active=active,
        )

        technician.additional_properties = d
        return technician

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
