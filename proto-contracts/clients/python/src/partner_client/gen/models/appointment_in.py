from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="AppointmentIn")


@_attrs_define
class AppointmentIn:
    """An appointment as you book it.

    Attributes:
        lead_id (str): A lead of your company.
        starts_at (datetime.datetime): In UTC, in the years 2000 to 2100.
        ends_at (datetime.datetime): After `startsAt`, in UTC, in the years 2000 to 2100.
        idempotency_key (str): Identifies this booking among all of your company, so that a repeat does not book twice.
        project_id (str | Unset): A project of your company that it is about: the one of the lead, or one without a
            lead.
        notes (str | Unset): For the person who visits the customer.
    """

    lead_id: str
    starts_at: datetime.datetime
    ends_at: datetime.datetime
    idempotency_key: str
    project_id: str | Unset = UNSET
    notes: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        lead_id = self.lead_id

        starts_at = self.starts_at.isoformat()

        ends_at = self.ends_at.isoformat()

        idempotency_key = self.idempotency_key

        project_id = self.project_id

        notes = self.notes

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "leadId": lead_id,
                "startsAt": starts_at,
                "endsAt": ends_at,
                "idempotencyKey": idempotency_key,
            }
        )
        if project_id is not UNSET:
            field_dict["projectId"] = project_id
        if notes is not UNSET:
            field_dict["notes"] = notes

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        lead_id = d.pop("leadId")

        starts_at = datetime.datetime.fromisoformat(d.pop("startsAt"))

        ends_at = datetime.datetime.fromisoformat(d.pop("endsAt"))

        idempotency_key = d.pop("idempotencyKey")

        project_id = d.pop("projectId", UNSET)

        notes = d.pop("notes", UNSET)

        appointment_in = cls(
            lead_id=lead_id,
            starts_at=starts_at,
            ends_at=ends_at,
            idempotency_key=idempotency_key,
            project_id=project_id,
            notes=notes,
        )

        appointment_in.additional_properties = d
        return appointment_in

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
