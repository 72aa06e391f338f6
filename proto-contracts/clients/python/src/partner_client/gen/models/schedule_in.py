from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.schedule_in_status import ScheduleInStatus, check_schedule_in_status

T = TypeVar("T", bound="ScheduleIn")


@_attrs_define
class ScheduleIn:
    """The new schedule of a job.

    Attributes:
        status (ScheduleInStatus): The status that the schedule moves to.
        starts_at (datetime.datetime | None): In UTC, in the years 2000 to 2100. Null only when `status` is `CANCELLED`.
        ends_at (datetime.datetime | None): After `startsAt`, in UTC, in the years 2000 to 2100. Null only when `status`
            is `CANCELLED`.
        time_zone (str): An IANA time zone name (a zone or link of the tz database) in its exact spelling.
        expected_version (int): The `version` of the job that you have read. If it is not the current one, the response
            is 409 `stale_version`.
    """

    status: ScheduleInStatus
    starts_at: datetime.datetime | None
    ends_at: datetime.datetime | None
    time_zone: str
    expected_version: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        status: str = self.status

        starts_at: None | str
        if isinstance(self.starts_at, datetime.datetime):
            starts_at = self.starts_at.isoformat()
        else:
            starts_at = self.starts_at

        ends_at: None | str
        if isinstance(self.ends_at, datetime.datetime):
            ends_at = self.ends_at.isoformat()
        else:
            ends_at = self.ends_at

        time_zone = self.time_zone

        expected_version = self.expected_version

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "status": status,
                "startsAt": starts_at,
                "endsAt": ends_at,
                "timeZone": time_zone,
                "expectedVersion": expected_version,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        status = check_schedule_in_status(d.pop("status"))

        def _parse_starts_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                starts_at_type_0 = datetime.datetime.fromisoformat(data)

                return starts_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        starts_at = _parse_starts_at(d.pop("startsAt"))

        def _parse_ends_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                ends_at_type_0 = datetime.datetime.fromisoformat(data)

                return ends_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        ends_at = _parse_ends_at(d.pop("endsAt"))

        time_zone = d.pop("timeZone")

        expected_version = d.pop("expectedVersion")

        schedule_in = cls(
            status=status,
            starts_at=starts_at,
            ends_at=ends_at,
            time_zone=time_zone,
            expected_version=expected_version,
        )

        schedule_in.additional_properties = d
        return schedule_in

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
