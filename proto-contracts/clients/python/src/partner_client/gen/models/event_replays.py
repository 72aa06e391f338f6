from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.webhook_bulk_replay import WebhookBulkReplay


T = TypeVar("T", bound="EventReplays")


@_attrs_define
class EventReplays:
    """The replays that the request has started.

    Attributes:
        replays (list[WebhookBulkReplay]): One for each webhook subscription.
    """

    replays: list[WebhookBulkReplay]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        replays = []
        for replays_item_data in self.replays:
            replays_item = replays_item_data.to_dict()
            replays.append(replays_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "replays": replays,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.webhook_bulk_replay import WebhookBulkReplay  # noqa: PLC0415

        d = dict(src_dict)
        replays = []
        _replays = d.pop("replays")
        for replays_item_data in _replays:
            replays_item = WebhookBulkReplay.from_dict(replays_item_data)

            replays.append(replays_item)

        event_replays = cls(
            replays=replays,
        )

        event_replays.additional_properties = d
        return event_replays

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
