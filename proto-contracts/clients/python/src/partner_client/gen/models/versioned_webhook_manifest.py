from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.manifest_entry import ManifestEntry


T = TypeVar("T", bound="VersionedWebhookManifest")


@_attrs_define
class VersionedWebhookManifest:
    """The events that were queued to a webhook in a span of time.

    Attributes:
        api_version (str): The API version date of this response, as in the header `x-svc-api-version`.
        subscription_id (str): The webhook subscription.
        entries (list[ManifestEntry]): In the order in which they were queued.
        next_cursor (None | str): Send it as `cursor`, with the same span, for the next page; null on the last one. A
            page can have fewer entries than `limit`, even none, and still have one.
    """

    api_version: str
    subscription_id: str
    entries: list[ManifestEntry]
    next_cursor: None | str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        api_version = self.api_version

        subscription_id = self.subscription_id

        entries = []
        for entries_item_data in self.entries:
            entries_item = entries_item_data.to_dict()
            entries.append(entries_item)

        next_cursor: None | str
        next_cursor = self.next_cursor

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "apiVersion": api_version,
                "subscriptionId": subscription_id,
                "entries": entries,
                "nextCursor": next_cursor,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.manifest_entry import ManifestEntry  # noqa: PLC0415

        d = dict(src_dict)
        api_version = d.pop("apiVersion")

        subscription_id = d.pop("subscriptionId")

        entries = []
        _entries = d.pop("entries")
        for entries_item_data in _entries:
            entries_item = ManifestEntry.from_dict(entries_item_data)

            entries.append(entries_item)

        def _parse_next_cursor(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        next_cursor = _parse_next_cursor(d.pop("nextCursor"))

        versioned_webhook_manifest = cls(
            api_version=api_version,
            subscription_id=subscription_id,
            entries=entries,
            next_cursor=next_cursor,
        )

        versioned_webhook_manifest.additional_properties = d
        return versioned_webhook_manifest

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
