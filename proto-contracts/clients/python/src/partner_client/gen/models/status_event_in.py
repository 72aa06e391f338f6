from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.status_event_in_blocker_code import (
    StatusEventInBlockerCode,
    check_status_event_in_blocker_code,
)
from ..models.status_event_in_status import (
    StatusEventInStatus,
    check_status_event_in_status,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="StatusEventIn")


@_attrs_define
class StatusEventIn:
    """What happened at a job.

    Attributes:
        status (StatusEventInStatus): The status that the job moves to.
        occurred_at (datetime.datetime): When it happened, in UTC: at most 5 minutes in the future and 30 days in the
            past.
        expected_version (int): The `version` of the job that you have read. If it is not the current one, the response
            is 409 `stale_version`.
        note (str | Unset): A remark for the selling company.
        blocker_code (StatusEventInBlockerCode | Unset): Required when `status` is `BLOCKED`, and not allowed with any
            other.
    """

    status: StatusEventInStatus
    occurred_at: datetime.datetime
    expected_version: int
    note: str | Unset = UNSET
    blocker_code: StatusEventInBlockerCode | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        status: str = self.status

        occurred_at = self.occurred_at.isoformat()

        expected_version = self.expected_version

        note = self.note

        blocker_code: str | Unset = UNSET
        if not isinstance(self.blocker_code, Unset):
            blocker_code = self.blocker_code

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "status": status,
                "occurredAt": occurred_at,
                "expectedVersion": expected_version,
            }
        )
        if note is not UNSET:
            field_dict["note"] = note
        if blocker_code is not UNSET:
            field_dict["blockerCode"] = blocker_code

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        status = check_status_event_in_status(d.pop("status"))

        occurred_at = datetime.datetime.fromisoformat(d.pop("occurredAt"))

        expected_version = d.pop("expectedVersion")

        note = d.pop("note", UNSET)

        _blocker_code = d.pop("blockerCode", UNSET)
        blocker_code: StatusEventInBlockerCode | Unset
        if isinstance(_blocker_code, Unset):
            blocker_code = UNSET
        else:
            blocker_code = check_status_event_in_blocker_code(_blocker_code)

        status_event_in = cls(
            status=status,
            occurred_at=occurred_at,
            expected_version=expected_version,
            note=note,
            blocker_code=blocker_code,
        )

        status_event_in.additional_properties = d
        return status_event_in

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
