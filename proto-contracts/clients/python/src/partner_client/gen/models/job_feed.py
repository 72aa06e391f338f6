from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.feed_entry import FeedEntry


T = TypeVar("T", bound="JobFeed")


@_attrs_define
class JobFeed:
    """A page of the change feed, oldest entry first.

    Attributes:
        api_version (str): The API version date of this response, as in the header `x-svc-api-version`.
        resources (list[FeedEntry]): Oldest first.
        next_cursor (None | str): Send it as `cursor` to continue from here. Keep the last one. Null only when your
            company has no entry at all.
        has_more (bool): True: there is a next page; read it at once.
    """

    api_version: str
    resources: list[FeedEntry]
    next_cursor: None | str
    has_more: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        api_version = self.api_version

        resources = []
        for resources_item_data in self.resources:
            resources_item = resources_item_data.to_dict()
            resources.append(resources_item)

        next_cursor: None | str
        next_cursor = self.next_cursor

        has_more = self.has_more

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "apiVersion": api_version,
                "resources": resources,
                "nextCursor": next_cursor,
                "hasMore": has_more,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.feed_entry import FeedEntry  # noqa: PLC0415

        d = dict(src_dict)
        api_version = d.pop("apiVersion")

        resources = []
        _resources = d.pop("resources")
        for resources_item_data in _resources:
            resources_item = FeedEntry.from_dict(resources_item_data)

            resources.append(resources_item)

        def _parse_next_cursor(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        next_cursor = _parse_next_cursor(d.pop("nextCursor"))

        has_more = d.pop("hasMore")

        job_feed = cls(
            api_version=api_version,
            resources=resources,
            next_cursor=next_cursor,
            has_more=has_more,
        )

        job_feed.additional_properties = d
        return job_feed

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
