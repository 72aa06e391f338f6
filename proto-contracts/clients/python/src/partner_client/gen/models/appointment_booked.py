from __future__ import annotations

from collections.abc import Mapping
from typing import (
    Any,
    Literal,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="AppointmentBooked")


@_attrs_define
class AppointmentBooked:
    """A booked appointment.

    Attributes:
        appointment_id (str): The id of the appointment.
        status (Literal['booked']): The appointment is booked.
    """

    appointment_id: str
    status: Literal["booked"]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        appointment_id = self.appointment_id

        status = self.status

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "appointmentId": appointment_id,
                "status": status,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        appointment_id = d.pop("appointmentId")

        status = cast(Literal["booked"], d.pop("status"))
        if status != "booked":
            raise ValueError(f"status must match const 'booked', got '{status}'")

        appointment_booked = cls(
            appointment_id=appointment_id,
            status=status,
        )

        appointment_booked.additional_properties = d
        return appointment_booked

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
