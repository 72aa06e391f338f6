from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

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
    """

    number: int | None
    event_id: str
    event: str
    outcome: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        number: int | None
        number = self.number

        event_id = self.event_id

        event = self.event

        outcome = self.outcome

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

        manifest_entry = cls(
            number=number,
            event_id=event_id,
            event=event,
            outcome=outcome,
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
