from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.previewed_webhook import PreviewedWebhook


T = TypeVar("T", bound="VersionedEventReplayPreview")


@_attrs_define
class VersionedEventReplayPreview:
    """What a replay of events would send.

    Attributes:
        api_version (str): The API version date of this response, as in the header `x-svc-api-version`.
        webhooks (list[PreviewedWebhook]): Where the events would be sent.
        at_least (bool): True: there are more than the 100,000 events that are counted. All of them are replayed.
        from_ (datetime.datetime): The start of the span. Of events selected by number or id: when the first was
            recorded.
        to (datetime.datetime): The end of the span.
    """

    api_version: str
    webhooks: list[PreviewedWebhook]
    at_least: bool
    from_: datetime.datetime
    to: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        api_version = self.api_version

        webhooks = []
        for webhooks_item_data in self.webhooks:
            webhooks_item = webhooks_item_data.to_dict()
            webhooks.append(webhooks_item)

        at_least = self.at_least

        from_ = self.from_.isoformat()

        to = self.to.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "apiVersion": api_version,
                "webhooks": webhooks,
                "atLeast": at_least,
                "from": from_,
                "to": to,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.previewed_webhook import PreviewedWebhook  # noqa: PLC0415

        d = dict(src_dict)
        api_version = d.pop("apiVersion")

        webhooks = []
        _webhooks = d.pop("webhooks")
        for webhooks_item_data in _webhooks:
            webhooks_item = PreviewedWebhook.from_dict(webhooks_item_data)

            webhooks.append(webhooks_item)

        at_least = d.pop("atLeast")

        from_ = datetime.datetime.fromisoformat(d.pop("from"))

        to = datetime.datetime.fromisoformat(d.pop("to"))

        versioned_event_replay_preview = cls(
            api_version=api_version,
            webhooks=webhooks,
            at_least=at_least,
            from_=from_,
            to=to,
        )

        versioned_event_replay_preview.additional_properties = d
        return versioned_event_replay_preview

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
