from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.feed_event_headers import FeedEventHeaders


T = TypeVar("T", bound="FeedEvent")


@_attrs_define
class FeedEvent:
    """One event of your company.

    Attributes:
        sequence (int): The event's number among those of your company: in the order of the changes, without gaps. A
            number that you do not see belongs to an event that was withdrawn before it was sent, or that your filter left
            out.
        headers (FeedEventHeaders): Headers of a webhook, as far as they say something about the event. The signing
            secret is `whsec_` and the base64 of your API key.
        body (str): The envelope as text, byte for byte as each webhook of the event has it. Verify it before you parse
            it.
    """

    sequence: int
    headers: FeedEventHeaders
    body: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        sequence = self.sequence

        headers = self.headers.to_dict()

        body = self.body

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "sequence": sequence,
                "headers": headers,
                "body": body,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.feed_event_headers import FeedEventHeaders  # noqa: PLC0415

        d = dict(src_dict)
        sequence = d.pop("sequence")

        headers = FeedEventHeaders.from_dict(d.pop("headers"))

        body = d.pop("body")

        feed_event = cls(
            sequence=sequence,
            headers=headers,
            body=body,
        )

        feed_event.additional_properties = d
        return feed_event

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
