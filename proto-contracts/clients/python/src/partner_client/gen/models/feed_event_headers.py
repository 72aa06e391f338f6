from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="FeedEventHeaders")


@_attrs_define
class FeedEventHeaders:
    """Headers of a webhook, as far as they say something about the event. The signing secret is `whsec_` and the base64 of
    your API key.

        Attributes:
            x_svc_event (str): The name of the event.
            x_svc_timestamp (str): When this response was signed, in Unix seconds.
            x_svc_signature (str): `v1=` and the lowercase hex HMAC-SHA256.
            webhook_id (str): The id of the event.
            webhook_timestamp (str): The same as `x-svc-timestamp`.
            webhook_signature (str): The Standard Webhooks signature.
    """

    x_svc_event: str
    x_svc_timestamp: str
    x_svc_signature: str
    webhook_id: str
    webhook_timestamp: str
    webhook_signature: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        x_svc_event = self.x_svc_event

        x_svc_timestamp = self.x_svc_timestamp

        x_svc_signature = self.x_svc_signature

        webhook_id = self.webhook_id

        webhook_timestamp = self.webhook_timestamp

        webhook_signature = self.webhook_signature

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "x-svc-event": x_svc_event,
                "x-svc-timestamp": x_svc_timestamp,
                "x-svc-signature": x_svc_signature,
                "webhook-id": webhook_id,
                "webhook-timestamp": webhook_timestamp,
                "webhook-signature": webhook_signature,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        x_svc_event = d.pop("x-svc-event")

        x_svc_timestamp = d.pop("x-svc-timestamp")

        x_svc_signature = d.pop("x-svc-signature")

        webhook_id = d.pop("webhook-id")

        webhook_timestamp = d.pop("webhook-timestamp")

        webhook_signature = d.pop("webhook-signature")

        feed_event_headers = cls(
            x_svc_event=x_svc_event,
            x_svc_timestamp=x_svc_timestamp,
            x_svc_signature=x_svc_signature,
            webhook_id=webhook_id,
            webhook_timestamp=webhook_timestamp,
            webhook_signature=webhook_signature,
        )

        feed_event_headers.additional_properties = d
        return feed_event_headers

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
