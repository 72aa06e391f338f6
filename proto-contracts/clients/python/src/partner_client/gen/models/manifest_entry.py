from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="ManifestEntry")


@_attrs_define
class ManifestEntry:
    """An event that was queued to a subscription.

    Attributes:
        number (int | None): The event's number among those of the subscription: the `x-svc-number` of its deliveries.
            Null if it was queued before deliveries had numbers.
        event_id (str): The `id` of the event.
        event (str): The name of the event.
        outcome (str): The state of its newest delivery to the subscription, replays included. pending, retry_scheduled,
            delivered, dead_lettered, held, cancelled, or a newer value.
        queued_at (datetime.datetime | Unset): When it was queued.
        finished_at (datetime.datetime | None | Unset): When the newest delivery was accepted, dead-lettered or
            canceled; null before that.
    """

    number: int | None
    event_id: str
    event: str
    outcome: str
    queued_at: datetime.datetime | Unset = UNSET
    finished_at: datetime.datetime | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        number: int | None
        number = self.number

        event_id = self.event_id

        event = self.event

        outcome = self.outcome

        queued_at: str | Unset = UNSET
        if not isinstance(self.queued_at, Unset):
            queued_at = self.queued_at.isoformat()

        finished_at: None | str | Unset
        if isinstance(self.finished_at, Unset):
            finished_at = UNSET
        elif isinstance(self.finished_at, datetime.datetime):
            finished_at = self.finished_at.isoformat()
        else:
            finished_at = self.finished_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "number": number,
                "eventId": event_id,
                "event": event,
                "outcome": outcome,
            }
        )
        if queued_at is not UNSET:
            field_dict["queuedAt"] = queued_at
        if finished_at is not UNSET:
            field_dict["finishedAt"] = finished_at

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_number(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        number = _parse_number(d.pop("number"))

        event_id = d.pop("eventId")

        event = d.pop("event")

        outcome = d.pop("outcome")

        _queued_at = d.pop("queuedAt", UNSET)
        queued_at: datetime.datetime | Unset
        if isinstance(_queued_at, Unset):
            queued_at = UNSET
        else:
            queued_at = datetime.datetime.fromisoformat(_queued_at)

        def _parse_finished_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                finished_at_type_0 = datetime.datetime.fromisoformat(data)

                return finished_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        finished_at = _parse_finished_at(d.pop("finishedAt", UNSET))

        manifest_entry = cls(
            number=number,
            event_id=event_id,
            event=event,
            outcome=outcome,
            queued_at=queued_at,
            finished_at=finished_at,
        )

        manifest_entry.additional_properties = d
        return manifest_entry

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
