from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.feed_entry import FeedEntry
    from ..models.unassigned_job import UnassignedJob


T = TypeVar("T", bound="JobFeed")


@_attrs_define
class JobFeed:
    """A page of the change feed, oldest entry first.

    Attributes:
        api_version (str): The API version date of this response, as in the header `x-svc-api-version`.
        resources (list[FeedEntry]): Oldest first.
        next_cursor (None | str): Send it as `cursor` to continue from here. Keep the last one. Null only when your
            company has no entry at all.
        has_more (bool): True: there is a next page; read it immediately.
        unassigned (list[UnassignedJob] | Unset): With `include=unassigned` the jobs that have left your company, oldest
            first: delete them from your copy, then store `resources`. A job that came back is among those.
    """

    api_version: str
    resources: list[FeedEntry]
    next_cursor: None | str
    has_more: bool
    unassigned: list[UnassignedJob] | Unset = UNSET
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

        unassigned: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.unassigned, Unset):
            unassigned = []
            for unassigned_item_data in self.unassigned:
                unassigned_item = unassigned_item_data.to_dict()
                unassigned.append(unassigned_item)

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
        if unassigned is not UNSET:
            field_dict["unassigned"] = unassigned

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.feed_entry import FeedEntry  # noqa: PLC0415
        from ..models.unassigned_job import UnassignedJob  # noqa: PLC0415

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

        _unassigned = d.pop("unassigned", UNSET)
        unassigned: list[UnassignedJob] | Unset = UNSET
        if _unassigned is not UNSET:
            unassigned = []
            for unassigned_item_data in _unassigned:
                unassigned_item = UnassignedJob.from_dict(unassigned_item_data)

                unassigned.append(unassigned_item)

        job_feed = cls(
            api_version=api_version,
            resources=resources,
            next_cursor=next_cursor,
            has_more=has_more,
            unassigned=unassigned,
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
