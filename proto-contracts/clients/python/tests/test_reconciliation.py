"""What a webhook was sent, against what its receiver has handled, sync and async. The rule is CLIENT-11."""

import asyncio
import base64
import hashlib
import hmac
import json
import unittest
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import httpx

from partner_client import (
    AsyncStore,
    MemoryStore,
    PartnerError,
    Reconciliation,
    create_partner_client,
    reconcile,
    reconcile_async,
)
from partner_client.feeds import Surface
from partner_client.retries import Surroundings

NOW = 1_788_438_667
API_KEY = "key_a.secret"
END = datetime.fromtimestamp(NOW, UTC)
PREVIEW = {"atLeast": False, "from": "2026-08-26T14:00:00Z", "to": "2026-08-26T14:00:00Z"}


def entry(number: int | None, outcome: str = "delivered", event: str = "install.test") -> dict[str, Any]:
    return {"number": number, "eventId": f"evt_{number}", "event": event, "outcome": outcome}


@dataclass
class Service:
    """Has the manifest of `whk_1`, two entries in a page; the webhook does not subscribe to `unsubscribed`."""

    entries: list[dict[str, Any]]
    api_key: str = API_KEY
    subscription_id: str = "whk_1"
    is_replaying: bool = False
    unsubscribed: str = ""
    replayed: list[list[str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    def respond(self, request: httpx.Request) -> httpx.Response:
        self.paths.append(request.url.path)
        if request.method == "GET":
            return self._manifest(int(request.url.params.get("cursor", 0)))
        event_ids = json.loads(request.content)["eventIds"]
        if request.url.path.endswith("/preview"):
            found = [each for each in self.entries if each["eventId"] in event_ids and each["event"] != self.unsubscribed]
            webhooks = [{"subscriptionId": "whk_1", "events": len(found)}]
            return httpx.Response(200, json={"apiVersion": "v", "webhooks": webhooks, **PREVIEW})
        if self.is_replaying:
            return httpx.Response(409, json={"error": "wait", "code": "replay_in_progress", "requestId": "r"})
        self.replayed.append(event_ids)
        return httpx.Response(202, json={"apiVersion": "v", "replays": []})

    def _manifest(self, start: int) -> httpx.Response:
        cursor = str(start + 2) if start + 2 < len(self.entries) else None
        page = {"apiVersion": "v", "subscriptionId": self.subscription_id, "nextCursor": cursor}
        body = json.dumps({**page, "entries": self.entries[start : start + 2]}).encode()
        key = b"whsec_" + base64.b64encode(self.api_key.encode())
        signature = hmac.new(key, f"{NOW}.".encode() + body, hashlib.sha256).hexdigest()
        return httpx.Response(200, content=body, headers={"x-svc-timestamp": str(NOW), "x-svc-signature": f"v1={signature}"})

    def reconcile(self, handled: list[int], is_async: bool, surface: Surface = "installer") -> Reconciliation:
        """Reconciles a receiver that has handled the events with these numbers."""
        transport = httpx.MockTransport(self.respond)
        url, around = "https://api.partner.example", Surroundings(now=lambda: NOW)
        client = create_partner_client(url, API_KEY, surroundings=around, transport=transport, async_transport=transport)
        store = MemoryStore()
        for number in handled:
            store.set(f"event:evt_{number}", "handled")
        if is_async:
            return asyncio.run(reconcile_async(client, surface, AsyncMemory(store), "whk_1", end=END))
        return reconcile(client, surface, store, "whk_1", end=END)


@dataclass
class AsyncMemory(AsyncStore):
    store: MemoryStore

    async def get(self, key: str) -> str | None:
        await asyncio.sleep(0)
        return self.store.get(key)

    async def set(self, key: str, value: str) -> None:
        self.store.set(key, value)


def numbers(result: Reconciliation) -> list[list[int | None]]:
    return [[each.number for each in some] for some in (result.replayed, result.awaited, result.unsubscribed)]


class Reconciling(unittest.TestCase):
    def test_replays_what_the_receiver_lacks_and_leaves_what_the_service_still_delivers(self) -> None:
        surfaces: tuple[Surface, Surface] = ("inbound", "installer")
        for surface in surfaces:
            for is_async in (False, True):
                outcomes = ("delivered", "delivered", "dead_lettered", "pending", "retry_scheduled", "held")
                entries = [entry(number, outcome) for number, outcome in enumerate(outcomes, 1)]
                service = Service([*entries, entry(None, "new_outcome")])
                result = service.reconcile([1], is_async, surface)
                assert numbers(result) == [[2, 3, None], [4, 5, 6], []]
                assert (result.listed, result.gaps) == (7, ())
                assert service.replayed == [["evt_2", "evt_3", "evt_None"]]
                prefix = "/inbound" if surface == "inbound" else "/partner/v1"
                reads, writes = service.paths[:4], service.paths[4:]
                assert reads == [f"{prefix}/webhooks/whk_1/manifest"] * 4
                assert writes == [f"{prefix}/events/replay/preview", f"{prefix}/events/replay"]

    def test_starts_nothing_if_the_receiver_has_everything(self) -> None:
        service = Service([entry(1), entry(2), entry(3)])
        assert numbers(service.reconcile([1, 2, 3], False)) == [[], [], []]
        assert set(service.paths) == {"/partner/v1/webhooks/whk_1/manifest"}

    def test_reports_what_no_replay_sends(self) -> None:
        entries = [entry(9), entry(3), entry(5, event="install.job_assigned"), entry(4)]
        result = Service(entries, unsubscribed="install.job_assigned").reconcile([3, 9], False)
        assert numbers(result) == [[4], [], [5]]
        assert result.gaps == (range(6, 9),)

    def test_leaves_to_its_next_run_what_one_replay_does_not_take_and_all_while_another_one_runs(self) -> None:
        replayed, awaited, _ = numbers(Service([entry(number) for number in range(1_001)]).reconcile([], False))
        assert (len(replayed), awaited) == (1_000, [1_000])
        for is_async in (False, True):
            assert numbers(Service([entry(1), entry(2)], is_replaying=True).reconcile([], is_async)) == [[], [1, 2], []]

    def test_refuses_a_manifest_that_is_forged_or_of_another_webhook(self) -> None:
        for is_async in (False, True):
            with self.assertRaisesRegex(PartnerError, "the signature matches none of the secrets"):
                Service([entry(1)], api_key="key_b.other").reconcile([], is_async)
            with self.assertRaisesRegex(PartnerError, "the manifest is that of whk_2, not of whk_1"):
                Service([entry(1)], subscription_id="whk_2").reconcile([], is_async)
