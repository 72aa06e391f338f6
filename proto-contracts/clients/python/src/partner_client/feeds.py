"""Iterators over the change feed and over the events of a company. They store their cursor."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from .gen.api.inbound import list_inbound_events
from .gen.api.installer import list_installer_events, list_job_feed
from .gen.client import AuthenticatedClient
from .gen.models import EventFeed, JobFeed, VersionedEventFeed
from .retries import sleep
from .stores import AsyncStore, Store, settled

EventPage = EventFeed | VersionedEventFeed
Page = TypeVar("Page", JobFeed, EventPage)
Surface = Literal["inbound", "installer"]


@dataclass(frozen=True)
class FollowOptions:
    """How to follow a feed."""

    stop_at_end: bool = False
    """Ends the iteration once all present entries have been read. Otherwise it polls."""
    poll_seconds: float = 60
    """Seconds between polls. The service asks for at least 60."""
    limit: int = 50
    """Maximum number of entries in a page."""
    restart: bool = False
    """Ignores the stored cursor and begins again, as after `cursor_invalid`."""


@dataclass(frozen=True)
class _Feed(Generic[Page]):
    key: str
    read: Callable[[str | None], Page]
    read_async: Callable[[str | None], Awaitable[Page]]


def follow_jobs(
    client: AuthenticatedClient,
    store: Store,
    *,
    begin: Literal["snapshot", "start"] = "snapshot",
    options: FollowOptions | None = None,
) -> Iterator[JobFeed]:
    """
    Iterates over the pages of the change feed. Without a stored cursor it begins with a snapshot of the present jobs, or at the
    oldest entry (`start`). The cursor is stored when the next page is requested, so a page during which the process or the loop
    ends comes again: at least once, none skipped. Of each page delete `unassigned` from your copy, then store `resources`. Empty
    your copy before you begin again with a snapshot.
    """
    options = options or FollowOptions()
    return _follow(_jobs(client, begin, options), store, options)


def follow_jobs_async(
    client: AuthenticatedClient,
    store: Store | AsyncStore,
    *,
    begin: Literal["snapshot", "start"] = "snapshot",
    options: FollowOptions | None = None,
) -> AsyncIterator[JobFeed]:
    """Like follow_jobs, for an asynchronous program."""
    options = options or FollowOptions()
    return _follow_async(_jobs(client, begin, options), store, options)


def follow_events(
    client: AuthenticatedClient,
    surface: Surface,
    store: Store,
    *,
    begin: Literal["start", "end"] = "start",
    event: str | None = None,
    fields: Sequence[str] | None = None,
    options: FollowOptions | None = None,
) -> Iterator[EventPage]:
    """
    Iterates over the pages of the events of a selling (`inbound`) or an installing company (`installer`), as follow_jobs does.
    A webhook receiver verifies and handles each event.

    begin: without a stored cursor, at the oldest event that is kept, up to 120 days back (`start`), or with those to come.
    event: a name or a group (`install.*`); without it every event of the company comes, whatever its webhooks subscribe to.
    fields: of the events that have `changed`, only those of which one of these fields changed.
    """
    options = options or FollowOptions()
    return _follow(_events(client, surface, begin, event, fields, options), store, options)


def follow_events_async(
    client: AuthenticatedClient,
    surface: Surface,
    store: Store | AsyncStore,
    *,
    begin: Literal["start", "end"] = "start",
    event: str | None = None,
    fields: Sequence[str] | None = None,
    options: FollowOptions | None = None,
) -> AsyncIterator[EventPage]:
    """Like follow_events, for an asynchronous program."""
    options = options or FollowOptions()
    return _follow_async(_events(client, surface, begin, event, fields, options), store, options)


def _jobs(client: AuthenticatedClient, begin: Literal["snapshot", "start"], options: FollowOptions) -> _Feed[JobFeed]:
    def arguments(cursor: str | None) -> dict[str, Any]:
        first = {"from_": "start"} if begin == "start" else {"view": "snapshot"}
        place = first if cursor is None else {"cursor": cursor}
        return {"client": client, "limit": options.limit, "include": "unassigned", **place}

    return _Feed(
        "cursor:/partner/v1/jobs",
        lambda cursor: list_job_feed.sync(**arguments(cursor)),
        lambda cursor: list_job_feed.asyncio(**arguments(cursor)),
    )


def _events(
    client: AuthenticatedClient,
    surface: Surface,
    begin: Literal["start", "end"],
    event: str | None,
    fields: Sequence[str] | None,
    options: FollowOptions,
) -> _Feed[EventPage]:
    def arguments(cursor: str | None) -> dict[str, Any]:
        first = {"from_": "end"} if begin == "end" else {}
        selected = {} if event is None else {"event": event}
        if fields is not None:
            selected["fields"] = ",".join(fields)
        return {"client": client, "limit": options.limit, **selected, **(first if cursor is None else {"cursor": cursor})}

    if surface == "inbound":
        return _Feed(
            "cursor:/inbound/events",
            lambda cursor: list_inbound_events.sync(**arguments(cursor)),
            lambda cursor: list_inbound_events.asyncio(**arguments(cursor)),
        )
    return _Feed(
        "cursor:/partner/v1/events",
        lambda cursor: list_installer_events.sync(**arguments(cursor)),
        lambda cursor: list_installer_events.asyncio(**arguments(cursor)),
    )


def _follow(feed: _Feed[Page], store: Store, options: FollowOptions) -> Iterator[Page]:
    cursor = None if options.restart else store.get(feed.key)
    while True:
        page = feed.read(cursor)
        if not _is_empty(page):
            yield page
        if page.next_cursor is not None and page.next_cursor != cursor:
            cursor = page.next_cursor
            store.set(feed.key, cursor)
        if not page.has_more:
            if options.stop_at_end:
                return
            sleep(options.poll_seconds)


async def _follow_async(feed: _Feed[Page], store: Store | AsyncStore, options: FollowOptions) -> AsyncIterator[Page]:
    cursor = None if options.restart else await settled(store.get(feed.key))
    while True:
        page = await feed.read_async(cursor)
        if not _is_empty(page):
            yield page
        if page.next_cursor is not None and page.next_cursor != cursor:
            cursor = page.next_cursor
            await settled(store.set(feed.key, cursor))
        if not page.has_more:
            if options.stop_at_end:
                return
            await asyncio.sleep(options.poll_seconds)


def _is_empty(page: JobFeed | EventPage) -> bool:
    return not (page.resources or page.unassigned if isinstance(page, JobFeed) else page.events)
