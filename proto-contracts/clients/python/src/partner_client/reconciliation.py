"""Compares what a webhook was sent with what its receiver has handled, and has the service send the rest again."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from types import ModuleType
from typing import Any

from .errors import ApiError, PartnerError
from .feeds import Surface
from .gen.api.inbound import get_inbound_manifest, preview_inbound_event_replay, replay_inbound_events
from .gen.api.installer import get_installer_manifest, preview_installer_event_replay, replay_installer_events
from .gen.client import AuthenticatedClient
from .gen.models import EventReplayByIds, ManifestEntry
from .stores import AsyncStore, Store, settled
from .webhooks import event_key


@dataclass(frozen=True)
class Reconciliation:
    """What becomes of the events that the receiver has not handled."""

    listed: int
    """Number of events in the manifest."""
    replayed: tuple[ManifestEntry, ...]
    """A replay that has been started sends them again."""
    awaited: tuple[ManifestEntry, ...]
    """Left to the next run: their delivery continues (see `outcome`), another replay runs, or they are too many for one."""
    unsubscribed: tuple[ManifestEntry, ...]
    """Never sent again: the webhook no longer subscribes to them. The events feed still has them."""
    gaps: tuple[range, ...]
    """
    Numbers that the manifest skips. Their events were withdrawn before they were sent, so they never come. A gap of more than a
    million comes from the restore of a backup. Next to an end of the span, the event of a number can be just outside of it.
    """


# Maximum ids of one replay.
_MOST_REPLAYED = 1_000
# The service continues these deliveries: after a backoff, or once the webhook is active again.
_UNFINISHED = frozenset({"pending", "retry_scheduled", "held"})
# The operations of each surface that read the manifest, preview a replay and start one.
_OPERATIONS: dict[Surface, tuple[ModuleType, ModuleType, ModuleType]] = {
    "inbound": (get_inbound_manifest, preview_inbound_event_replay, replay_inbound_events),
    "installer": (get_installer_manifest, preview_installer_event_replay, replay_installer_events),
}


def reconcile(
    client: AuthenticatedClient,
    surface: Surface,
    store: Store,
    subscription_id: str,
    *,
    start: datetime | None = None,
    end: datetime | None = None,
) -> Reconciliation:
    """
    Compares the manifest of a webhook with what its receiver has handled, and has the service send the rest again. Once
    `replayed` and `awaited` are empty, each event of the span that can still be delivered has been handled, so run it
    regularly, e.g. once an hour. The API key needs the scopes `events:read` and `events:replay`. Events that the store has
    forgotten are sent, and handled, again.

    store: that of the webhook's receiver. start: events queued at this time or later; by default 24 hours before `end`, longer
    than the attempts of a delivery take. end: events queued before this time, at most 31 days after `start`; by default now.
    """
    # With a synchronous store and synchronous calls nothing is awaited, so the coroutine ends at its first step.
    steps = _reconcile(lambda operation: operation.sync, client, surface, store, subscription_id, start, end)
    try:
        steps.send(None)
    except StopIteration as ended:
        result: Reconciliation = ended.value
        return result
    raise TypeError("the store is asynchronous: use reconcile_async")


async def reconcile_async(
    client: AuthenticatedClient,
    surface: Surface,
    store: Store | AsyncStore,
    subscription_id: str,
    *,
    start: datetime | None = None,
    end: datetime | None = None,
) -> Reconciliation:
    """Like reconcile, for an asynchronous program."""
    return await _reconcile(lambda operation: operation.asyncio, client, surface, store, subscription_id, start, end)


async def _reconcile(
    function_of: Callable[[ModuleType], Callable[..., Any]],
    client: AuthenticatedClient,
    surface: Surface,
    store: Store | AsyncStore,
    subscription_id: str,
    start: datetime | None,
    end: datetime | None,
) -> Reconciliation:
    manifest, preview, replay = (function_of(operation) for operation in _OPERATIONS[surface])
    end = (end or datetime.now(UTC)).astimezone(UTC)
    span = {"from_": (start or end - timedelta(days=1)).astimezone(UTC), "to": end}
    numbers: list[int] = []
    lacking: list[ManifestEntry] = []
    listed = 0
    cursor: dict[str, str] = {}
    while True:
        page = await settled(manifest(subscription_id, client=client, **span, **cursor))
        if page.subscription_id != subscription_id:
            raise PartnerError(f"the manifest belongs to {page.subscription_id}, not to {subscription_id}", None)
        listed += len(page.entries)
        numbers += [entry.number for entry in page.entries if entry.number is not None]
        lacking += [entry for entry in page.entries if await settled(store.get(event_key(entry.event_id))) is None]
        if page.next_cursor is None:
            break
        cursor = {"cursor": page.next_cursor}

    def selection(entries: list[ManifestEntry]) -> dict[str, Any]:
        event_ids = [entry.event_id for entry in entries]
        return {"client": client, "body": EventReplayByIds(subscription_id=subscription_id, event_ids=event_ids)}

    finished = [entry for entry in lacking if entry.outcome not in _UNFINISHED]
    # A replay leaves out what the webhook does not subscribe to; a preview of one event shows whether it does.
    sent: set[str] = set()
    for name, entry in {entry.event: entry for entry in finished}.items():
        if any(webhook.events > 0 for webhook in (await settled(preview(**selection([entry])))).webhooks):
            sent.add(name)
    replayed = [entry for entry in finished if entry.event in sent][:_MOST_REPLAYED]
    try:
        if replayed:
            await settled(replay(**selection(replayed)))
    except ApiError as refusal:
        if refusal.code != "replay_in_progress":
            raise
        replayed = []
    unsubscribed = [entry for entry in finished if entry.event not in sent]
    kept = {id(entry) for entry in (*replayed, *unsubscribed)}
    awaited = [entry for entry in lacking if id(entry) not in kept]
    return Reconciliation(listed, tuple(replayed), tuple(awaited), tuple(unsubscribed), tuple(_gaps(numbers)))


def _gaps(numbers: list[int]) -> Iterator[range]:
    return (range(before + 1, after) for before, after in pairwise(sorted(numbers)) if after > before + 1)
