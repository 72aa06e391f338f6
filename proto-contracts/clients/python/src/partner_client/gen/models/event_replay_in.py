from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="EventReplayIn")


@_attrs_define
class EventReplayIn:
    """Which events of your company to send again, where to, and how fast.

    Attributes:
        subscription_id (str | Unset): The webhook subscription of your company to send to. Without it: every active one
            that receives at least one of the events.
        from_sequence (int | Unset): Events from this `sequence` on.
        to_sequence (int | Unset): Events up to this `sequence`, at most 100,000 numbers in all.
        from_ (datetime.datetime | Unset): Events recorded at this time or later.
        to (datetime.datetime | Unset): Events recorded before this time; after `from`, by at most 90 days.
        event_ids (list[str] | Unset): These events, by `id`.
        event (str | Unset): Only this event, such as `install.status_changed`, or this group, such as `install.*`.
        per_minute (int | Unset): How many deliveries to queue in a minute. Default: 600.
    """

    subscription_id: str | Unset = UNSET
    from_sequence: int | Unset = UNSET
    to_sequence: int | Unset = UNSET
    from_: datetime.datetime | Unset = UNSET
    to: datetime.datetime | Unset = UNSET
    event_ids: list[str] | Unset = UNSET
    event: str | Unset = UNSET
    per_minute: int | Unset = 600
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        subscription_id = self.subscription_id

        from_sequence = self.from_sequence

        to_sequence = self.to_sequence

        from_: str | Unset = UNSET
        if not isinstance(self.from_, Unset):
            from_ = self.from_.isoformat()

        to: str | Unset = UNSET
        if not isinstance(self.to, Unset):
            to = self.to.isoformat()

        event_ids: list[str] | Unset = UNSET
        if not isinstance(self.event_ids, Unset):
            event_ids = self.event_ids

        event = self.event

        per_minute = self.per_minute

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if subscription_id is not UNSET:
            field_dict["subscriptionId"] = subscription_id
        if from_sequence is not UNSET:
            field_dict["fromSequence"] = from_sequence
        if to_sequence is not UNSET:
            field_dict["toSequence"] = to_sequence
        if from_ is not UNSET:
            field_dict["from"] = from_
        if to is not UNSET:
            field_dict["to"] = to
        if event_ids is not UNSET:
            field_dict["eventIds"] = event_ids
        if event is not UNSET:
            field_dict["event"] = event
        if per_minute is not UNSET:
            field_dict["perMinute"] = per_minute

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        subscription_id = d.pop("subscriptionId", UNSET)

        from_sequence = d.pop("fromSequence", UNSET)

        to_sequence = d.pop("toSequence", UNSET)

        _from_ = d.pop("from", UNSET)
        from_: datetime.datetime | Unset
        if isinstance(_from_, Unset):
            from_ = UNSET
        else:
            from_ = datetime.datetime.fromisoformat(_from_)

        _to = d.pop("to", UNSET)
        to: datetime.datetime | Unset
        if isinstance(_to, Unset):
            to = UNSET
        else:
            to = datetime.datetime.fromisoformat(_to)

        event_ids = cast(list[str], d.pop("eventIds", UNSET))

        event = d.pop("event", UNSET)

        per_minute = d.pop("perMinute", UNSET)

        event_replay_in = cls(
            subscription_id=subscription_id,
            from_sequence=from_sequence,
            to_sequence=to_sequence,
            from_=from_,
            to=to,
            event_ids=event_ids,
            event=event,
            per_minute=per_minute,
        )

        event_replay_in.additional_properties = d
        return event_replay_in

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
