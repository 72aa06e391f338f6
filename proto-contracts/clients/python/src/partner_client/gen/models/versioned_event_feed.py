from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.feed_event import FeedEvent


T = TypeVar("T", bound="VersionedEventFeed")


@_attrs_define
class VersionedEventFeed:
    """A page of the events of your company, oldest first.

    Attributes:
        api_version (str): The API version date of this response, as in the header `x-svc-api-version`.
        events (list[FeedEvent]): Oldest first.
        next_cursor (str): Send it as `cursor` to continue from here. Keep the last one.
        has_more (bool): True: there is a next page; read it immediately. With a filter, a page can be empty and
            `hasMore` true.
    """

    api_version: str
    events: list[FeedEvent]
    next_cursor: str
    has_more: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        api_version = self.api_version

        events = []
        for events_item_data in self.events:
            events_item = events_item_data.to_dict()
            events.append(events_item)

        next_cursor = self.next_cursor

        has_more = self.has_more

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "apiVersion": api_version,
                "events": events,
                "nextCursor": next_cursor,
                "hasMore": has_more,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.feed_event import FeedEvent  # noqa: PLC0415

        d = dict(src_dict)
        api_version = d.pop("apiVersion")

        events = []
        _events = d.pop("events")
        for events_item_data in _events:
            events_item = FeedEvent.from_dict(events_item_data)

            events.append(events_item)

        next_cursor = d.pop("nextCursor")

        has_more = d.pop("hasMore")

        versioned_event_feed = cls(
            api_version=api_version,
            events=events,
            next_cursor=next_cursor,
            has_more=has_more,
        )

        versioned_event_feed.additional_properties = d
        return versioned_event_feed

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
