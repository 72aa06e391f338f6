"""The iterators over feeds, with both kinds of stores. The rule is CLIENT-4."""

import asyncio
import shutil
import tempfile
import unittest
from collections.abc import Callable
from dataclasses import replace

import httpx

from partner_client import (
    AuthenticatedClient,
    FileStore,
    FollowOptions,
    MemoryStore,
    Store,
    create_partner_client,
    follow_events,
    follow_events_async,
    follow_jobs,
    follow_jobs_async,
)
from partner_client.feeds import Surface

AT_END = FollowOptions(stop_at_end=True)
BODIES = ["a", "b", "c", "d", "e"]


def service_with(bodies: list[str]) -> tuple[AuthenticatedClient, list[str]]:
    """A service with these events, two in a page; a cursor is the number of events before it. Its feed of jobs is empty."""
    queries: list[str] = []

    def respond(request: httpx.Request) -> httpx.Response:
        queries.append(request.url.query.decode())
        start = int(request.url.params.get("cursor", 0))
        end = min(len(bodies), start + 2)
        names = ("x-svc-event", "x-svc-timestamp", "x-svc-signature", "webhook-id", "webhook-timestamp", "webhook-signature")
        headers = dict.fromkeys(names, "")
        events = [{"sequence": 1, "headers": headers, "body": body} for body in bodies[start:end]]
        cursor = str(end) if end > 0 else None
        page = {"apiVersion": "v", "nextCursor": cursor, "hasMore": end < len(bodies)}
        return httpx.Response(200, json={**page, "events": events, "resources": []})

    transport = httpx.MockTransport(respond)
    url = "https://api.partner.example"
    return create_partner_client(url, "key_a.secret", transport=transport, async_transport=transport), queries


Read = Callable[[AuthenticatedClient, Store, FollowOptions, list[str]], None]


def read(client: AuthenticatedClient, store: Store, options: FollowOptions, handled: list[str]) -> None:
    for page in follow_events(client, "installer", store, options=options):
        if len(handled) == 2 and "crash" not in handled:
            handled.append("crash")
            raise RuntimeError("crash")
        handled += [event.body for event in page.events]


def read_async(client: AuthenticatedClient, store: Store, options: FollowOptions, handled: list[str]) -> None:
    async def run() -> None:
        async for page in follow_events_async(client, "installer", store, options=options):
            if len(handled) == 2 and "crash" not in handled:
                handled.append("crash")
                raise RuntimeError("crash")
            handled.extend(event.body for event in page.events)

    asyncio.run(run())


class Feeds(unittest.TestCase):
    def each(self) -> list[tuple[Read, Callable[[], Store]]]:
        """Both kinds of iteration, with a store that is opened anew each time."""
        directory = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, directory)
        memories = [MemoryStore(), MemoryStore()]
        return [
            (read, lambda: memories[0]),
            (read_async, lambda: memories[1]),
            (read, lambda: FileStore(f"{directory}/sync")),
            (read_async, lambda: FileStore(f"{directory}/async")),
        ]

    def test_repeats_the_page_during_which_the_loop_ended_and_skips_none(self) -> None:
        for handle, open_store in self.each():
            handled: list[str] = []
            client, queries = service_with(BODIES)
            with self.assertRaises(RuntimeError):
                handle(client, open_store(), AT_END, handled)
            handle(client, open_store(), AT_END, handled)
            assert handled == ["a", "b", "crash", "c", "d", "e"]
            assert queries == ["limit=50", "cursor=2&limit=50", "cursor=2&limit=50", "cursor=4&limit=50"]

    def test_begins_again_on_demand(self) -> None:
        for handle, open_store in self.each():
            handled = ["crash"]
            client, _ = service_with(BODIES)
            handle(client, open_store(), AT_END, handled)
            handle(client, open_store(), AT_END, handled)
            handle(client, open_store(), replace(AT_END, restart=True), handled)
            assert handled == ["crash", *BODIES, *BODIES]

    def test_polls(self) -> None:
        bodies = ["a"]
        client, _ = service_with(bodies)
        read: list[str] = []
        for page in follow_events(client, "inbound", MemoryStore(), options=FollowOptions(poll_seconds=0)):
            read += [event.body for event in page.events]
            if len(read) == 3:
                break
            bodies.append(f"new {len(read)}")
        assert read == ["a", "new 1", "new 2"]

    def test_jobs_begin_with_a_snapshot_or_at_the_oldest_entry(self) -> None:
        client, queries = service_with([])
        assert list(follow_jobs(client, MemoryStore(), options=AT_END)) == []
        assert list(follow_jobs(client, MemoryStore(), begin="start", options=AT_END)) == []

        async def run() -> None:
            async for _ in follow_jobs_async(client, MemoryStore(), options=AT_END):
                raise AssertionError("the feed is empty")

        asyncio.run(run())
        assert [sorted(query.split("&")) for query in queries] == [
            ["include=unassigned", "limit=50", "view=snapshot"],
            ["from=start", "include=unassigned", "limit=50"],
            ["include=unassigned", "limit=50", "view=snapshot"],
        ]

    def test_a_page_of_jobs_that_have_left_alone_is_yielded(self) -> None:
        gone = {"sequence": 2, "jobId": "job_1", "unassignedAt": "2026-11-26T12:00:00.000Z"}
        page = {"apiVersion": "v", "resources": [], "nextCursor": "2", "hasMore": False}

        def respond(request: httpx.Request) -> httpx.Response:
            return httpx.Response(200, json={**page, "unassigned": [] if "cursor" in request.url.params else [gone]})

        client = create_partner_client("https://api.partner.example", "key_a.secret", transport=httpx.MockTransport(respond))
        store = MemoryStore()
        pages = [page for _ in range(2) for page in follow_jobs(client, store, options=AT_END)]
        assert [[left.job_id for left in page.unassigned or []] for page in pages] == [["job_1"]]

    def test_events_can_begin_with_those_to_come_and_be_of_one_name_or_group(self) -> None:
        surfaces: tuple[Surface, ...] = ("inbound", "installer")
        for surface in surfaces:
            client, queries = service_with(["a"])
            store = MemoryStore()
            list(follow_events(client, surface, store, begin="end", event="install.*", options=AT_END))

            async def run(client: AuthenticatedClient = client, store: Store = store, surface: Surface = surface) -> None:
                pages = follow_events_async(client, surface, store, begin="end", event="install.*", options=AT_END)
                assert [page async for page in pages] == []

            asyncio.run(run())
            assert queries == ["from=end&limit=50&event=install.%2A", "cursor=1&limit=50&event=install.%2A"]

    def test_a_store_in_memory_forgets_the_oldest_entry_beyond_its_bound(self) -> None:
        store = MemoryStore(2)
        for key in ("a", "b", "a", "c"):
            store.set(key, key)
        assert [store.get(key) for key in ("a", "b", "c")] == ["a", None, "c"]
