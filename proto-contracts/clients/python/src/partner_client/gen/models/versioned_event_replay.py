from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.webhook_failure_cause import WebhookFailureCause


T = TypeVar("T", bound="VersionedEventReplay")


@_attrs_define
class VersionedEventReplay:
    """A replay of events with its progress.

    Attributes:
        api_version (str): The API version date of this response, as in the header `x-svc-api-version`.
        id (str): The id of the bulk replay.
        subscription_id (str): The subscription that it sends to.
        kind (str): `replay`: it repeats deliveries. `backfill`: it queues the events of a pause, as the activation
            requested. `events`: it queues the events that an API key requested. New kinds come without a new version.
            replay, backfill, events, or a newer value.
        states (list[str] | None): Which deliveries it repeats; null for the other kinds.
        event (None | str): The event or group that it is limited to.
        cause (None | WebhookFailureCause): The failure that it is limited to; null: none.
        from_ (datetime.datetime): The start of its span. Of events that were selected by number or id: when the first
            was recorded.
        to (datetime.datetime): The end of its span.
        per_minute (int): How many deliveries it queues in a minute, at most.
        state (str): Whether it still queues deliveries. running, done, cancelled, or a newer value.
        total (int): Deliveries to queue at its start; a lower bound if `atLeast` is true. It can queue more, or fewer,
            because it skips events that are pending by then.
        at_least (bool): True: there were more than the 100,000 that are counted. All of them are queued, so that
            `queued` can pass `total`.
        queued (int): Number of queued deliveries.
        created_at (datetime.datetime): ISO 8601 in UTC, always with milliseconds and `Z`.
        finished_at (datetime.datetime | None): ISO 8601 in UTC, always with milliseconds and `Z`.
    """

    api_version: str
    id: str
    subscription_id: str
    kind: str
    states: list[str] | None
    event: None | str
    cause: None | WebhookFailureCause
    from_: datetime.datetime
    to: datetime.datetime
    per_minute: int
    state: str
    total: int
    at_least: bool
    queued: int
    created_at: datetime.datetime
    finished_at: datetime.datetime | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.webhook_failure_cause import WebhookFailureCause  # noqa: PLC0415

        api_version = self.api_version

        id = self.id

        subscription_id = self.subscription_id

        kind = self.kind

        states: list[str] | None
        if isinstance(self.states, list):
            states = self.states

        else:
            states = self.states

        event: None | str
        event = self.event

        cause: dict[str, Any] | None
        if isinstance(self.cause, WebhookFailureCause):
            cause = self.cause.to_dict()
        else:
            cause = self.cause

        from_ = self.from_.isoformat()

        to = self.to.isoformat()

        per_minute = self.per_minute

        state = self.state

        total = self.total

        at_least = self.at_least

        queued = self.queued

        created_at = self.created_at.isoformat()

        finished_at: None | str
        if isinstance(self.finished_at, datetime.datetime):
            finished_at = self.finished_at.isoformat()
        else:
            finished_at = self.finished_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "apiVersion": api_version,
                "id": id,
                "subscriptionId": subscription_id,
                "kind": kind,
                "states": states,
                "event": event,
                "cause": cause,
                "from": from_,
                "to": to,
                "perMinute": per_minute,
                "state": state,
                "total": total,
                "atLeast": at_least,
                "queued": queued,
                "createdAt": created_at,
                "finishedAt": finished_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.webhook_failure_cause import WebhookFailureCause  # noqa: PLC0415

        d = dict(src_dict)
        api_version = d.pop("apiVersion")

        id = d.pop("id")

        subscription_id = d.pop("subscriptionId")

        kind = d.pop("kind")

        def _parse_states(data: object) -> list[str] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                states_type_0 = cast(list[str], data)

                return states_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None, data)

        states = _parse_states(d.pop("states"))

        def _parse_event(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        event = _parse_event(d.pop("event"))

        def _parse_cause(data: object) -> None | WebhookFailureCause:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                cause_type_0 = WebhookFailureCause.from_dict(data)

                return cause_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | WebhookFailureCause, data)

        cause = _parse_cause(d.pop("cause"))

        from_ = datetime.datetime.fromisoformat(d.pop("from"))

        to = datetime.datetime.fromisoformat(d.pop("to"))

        per_minute = d.pop("perMinute")

        state = d.pop("state")

        total = d.pop("total")

        at_least = d.pop("atLeast")

        queued = d.pop("queued")

        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))

        def _parse_finished_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                finished_at_type_0 = datetime.datetime.fromisoformat(data)

                return finished_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        finished_at = _parse_finished_at(d.pop("finishedAt"))

        versioned_event_replay = cls(
            api_version=api_version,
            id=id,
            subscription_id=subscription_id,
            kind=kind,
            states=states,
            event=event,
            cause=cause,
            from_=from_,
            to=to,
            per_minute=per_minute,
            state=state,
            total=total,
            at_least=at_least,
            queued=queued,
            created_at=created_at,
            finished_at=finished_at,
        )

        versioned_event_replay.additional_properties = d
        return versioned_event_replay

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
