from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="EventReplayByIds")


@_attrs_define
class EventReplayByIds:
    """
    Attributes:
        event_ids (list[str]): These events, by `id`.
        subscription_id (str | Unset): The webhook subscription of your company to send to. Without it: every active one
            that receives at least one of the events.
        event (str | Unset): Only this event, such as `install.status_changed`, or this group, such as `install.*`.
        per_minute (int | Unset): How many deliveries to queue in a minute. Default: 600.
    """

    event_ids: list[str]
    subscription_id: str | Unset = UNSET
    event: str | Unset = UNSET
    per_minute: int | Unset = 600
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        event_ids = self.event_ids

        subscription_id = self.subscription_id

        event = self.event

        per_minute = self.per_minute

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "eventIds": event_ids,
            }
        )
        if subscription_id is not UNSET:
            field_dict["subscriptionId"] = subscription_id
        if event is not UNSET:
            field_dict["event"] = event
        if per_minute is not UNSET:
            field_dict["perMinute"] = per_minute

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        event_ids = cast(list[str], d.pop("eventIds"))

        subscription_id = d.pop("subscriptionId", UNSET)

        event = d.pop("event", UNSET)

        per_minute = d.pop("perMinute", UNSET)

        event_replay_by_ids = cls(
            event_ids=event_ids,
            subscription_id=subscription_id,
            event=event,
            per_minute=per_minute,
        )

        event_replay_by_ids.additional_properties = d
        return event_replay_by_ids

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
