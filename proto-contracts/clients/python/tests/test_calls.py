"""What calls and stores of Python need beside the rules of every client, which `client-*.int.test.ts` prove."""

import asyncio
import unittest
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any
from unittest import mock

import httpx

from partner_client import MemoryStore, PartnerConnectionError, PartnerError, create_partner_client
from partner_client.gen import automation
from partner_client.gen.api.inbound import list_contractor_jobs
from partner_client.gen.models import JobDocument, JobSchedule
from partner_client.retries import Surroundings, sleep


class Clock:
    """Delays take no time."""

    def __init__(self) -> None:
        self.time = 0.0

    def sleep(self, seconds: float) -> None:
        self.time += seconds

    async def sleep_async(self, seconds: float) -> None:
        self.sleep(seconds)


class SlowBody(httpx.SyncByteStream, httpx.AsyncByteStream):
    """Each part arrives in time, all of them together do not."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def __iter__(self) -> Iterator[bytes]:
        for _ in range(100):
            self._clock.time += 10
            yield b" "

    async def __aiter__(self) -> Any:
        for part in self:
            yield part


class Calls(unittest.TestCase):
    def test_limits_the_time_of_a_body(self) -> None:
        for is_async in (False, True):
            clock = Clock()
            around = Surroundings(now=lambda: clock.time, sleep=clock.sleep, sleep_async=clock.sleep_async)  # noqa: B023
            transport = httpx.MockTransport(lambda _: httpx.Response(200, stream=SlowBody(clock)))  # noqa: B023
            url = "https://api.partner.example"
            options: Any = {"surroundings": around, "transport": transport, "async_transport": transport}
            client = create_partner_client(url, "key_a.secret", **options)
            with self.assertRaises(PartnerConnectionError) as raised:
                if is_async:
                    asyncio.run(list_contractor_jobs.asyncio(client=client))
                else:
                    list_contractor_jobs.sync(client=client)
            assert raised.exception.__cause__ is not None
            assert clock.time < 120 + 20

    def test_a_call_with_an_automation_key_returns_a_dictionary(self) -> None:
        sent = list[httpx.Request]()

        def respond(request: httpx.Request) -> httpx.Response:
            sent.append(request)
            return httpx.Response(200, json={"deliveries": [], "nextCursor": None} if len(sent) < 3 else [])

        transport = httpx.MockTransport(respond)
        client = create_partner_client("https://a.example", "key_a.s", transport=transport, async_transport=transport)
        at = datetime(2026, 9, 3, 8, tzinfo=timezone(timedelta(hours=2)))
        listing = automation.list_deliveries("whk_1/..", from_=at, status="dead_lettered")
        assert listing.sync(client=client)["deliveries"] == asyncio.run(listing.asyncio(client=client))["deliveries"] == []
        path = "/automation/v1/webhooks/whk_1%2F../deliveries"
        query = {"status": "dead_lettered", "from": "2026-09-03T06:00:00+00:00"}
        for request in sent:
            assert (request.method, request.url.raw_path.split(b"?")[0].decode()) == ("GET", path)
            assert dict(request.url.params) == query
        with self.assertRaises(PartnerError):
            listing.sync(client=client)

    def test_a_wait_longer_than_a_timer_holds_stays_a_wait(self) -> None:
        days, slept = 30 * 86_400, list[float]()
        with mock.patch("partner_client.retries.time.sleep", slept.append):
            sleep(days)
        assert max(slept) < 2**31 / 1_000 and sum(slept) == days

    def test_accepts_an_enum_value_that_it_does_not_know(self) -> None:
        schedule = {"status": "PROPOSED", "startsAt": None, "endsAt": None, "timeZone": None}
        assert JobSchedule.from_dict(schedule).to_dict() == schedule
        document = {"id": "doc_1", "category": "INVOICE", "mime": "application/pdf", "availableAt": "2026-08-26T14:00:00.000Z"}
        assert JobDocument.from_dict(document).category == "INVOICE"

    def test_a_store_in_memory_forgets_the_oldest_entry_beyond_its_bound(self) -> None:
        store = MemoryStore(2)
        for key in ("a", "b", "a", "c"):
            store.set(key, key)
        assert [store.get(key) for key in ("a", "b", "c")] == ["a", None, "c"]
