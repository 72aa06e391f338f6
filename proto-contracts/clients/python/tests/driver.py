"""Uses the client as its input asks: a request in JSON on each line, and a response on a line of its output."""

import asyncio
import base64
import json
import sys
from datetime import UTC, datetime, timedelta
from types import ModuleType
from typing import Any

from partner_client import (
    ApiError,
    AsyncStore,
    AsyncWebhookReceiver,
    AuthenticatedClient,
    Delivery,
    FileStore,
    FollowOptions,
    MemoryStore,
    PartnerError,
    RetryLimits,
    Store,
    VersionConflictError,
    WebhookEvent,
    WebhookReceiver,
    create_partner_client,
    event_feed_secret,
    follow_events,
    follow_events_async,
    follow_jobs,
    follow_jobs_async,
    reconcile,
    reconcile_async,
)
from partner_client.gen.api.inbound import create_lead, list_contractor_jobs
from partner_client.gen.api.installer import record_status_event
from partner_client.gen.models import LeadIn, StatusEventIn
from partner_client.retries import Surroundings

STORES: dict[str, MemoryStore] = {}


def client_of(request: dict[str, Any], waits: list[float]) -> AuthenticatedClient:
    """A client whose delays take no time, and whose jitter is its upper bound."""
    time = [request["now"] / 1_000]

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        time[0] += seconds

    async def sleep_async(seconds: float) -> None:
        sleep(seconds)

    limits = {name: value for name, value in request.get("retries", {}).items() if name == "attempts"}
    for name in ("total", "attempt"):
        if f"{name}Ms" in request.get("retries", {}):
            limits[f"{name}_seconds"] = request["retries"][f"{name}Ms"] / 1_000
    around = Surroundings(now=lambda: time[0], random=lambda: 1.0, sleep=sleep, sleep_async=sleep_async)
    return create_partner_client(request["url"], "key_a.secret", retries=RetryLimits(**limits), surroundings=around)


def store_of(name: str) -> Store:
    return FileStore(name) if name.startswith("/") else STORES.setdefault(name, MemoryStore())


class Settled(AsyncStore):
    """A store whose results have to be awaited."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def get(self, key: str) -> str | None:
        await asyncio.sleep(0)
        return self._store.get(key)

    async def set(self, key: str, value: str) -> None:
        await asyncio.sleep(0)
        self._store.set(key, value)


async def call(request: dict[str, Any], client: AuthenticatedClient) -> object:
    arguments: dict[str, Any] = {"client": client}
    path: tuple[str, ...] = ()
    operation: ModuleType = list_contractor_jobs
    if request["operation"] == "createLead":
        operation, arguments["body"] = create_lead, LeadIn.from_dict(request["body"])
        if "key" in request:
            arguments["idempotency_key"] = request["key"]
    elif request["operation"] == "recordStatusEvent":
        operation, arguments["body"], path = record_status_event, StatusEventIn.from_dict(request["body"]), ("job_1",)
    result = await operation.asyncio(*path, **arguments) if request["isAsync"] else operation.sync(*path, **arguments)
    return result.to_dict()


async def follow(request: dict[str, Any], client: AuthenticatedClient) -> list[object]:
    options = FollowOptions(stop_at_end="until" not in request, poll_seconds=0, restart=request.get("restart", False))
    store: Any = store_of(request["store"])
    is_async, more = request["isAsync"], {"begin": request["begin"]} if "begin" in request else {}
    pages: Any
    if request["feed"] == "jobs":
        pages = (follow_jobs_async if is_async else follow_jobs)(client, store, options=options, **more)
    else:
        more |= {name: request[name] for name in ("event", "fields") if name in request}
        pages = (follow_events_async if is_async else follow_events)(client, request["feed"], store, options=options, **more)
    read: list[object] = []

    def takes(page: Any) -> bool:
        """Handles a page; false ends the loop within it."""
        if len(read) == request.get("breakAfter"):
            return False
        read.extend(
            [left.job_id for left in page.unassigned or []] if request["feed"] == "jobs" else [e.body for e in page.events]
        )
        return len(read) != request.get("until")

    if is_async:
        async for page in pages:
            if not takes(page):
                break
    else:
        for page in pages:
            if not takes(page):
                break
    return read


async def compare(request: dict[str, Any], client: AuthenticatedClient) -> object:
    store = MemoryStore()
    for event_id in request["handled"]:
        store.set(f"event:{event_id}", "handled")
    end = datetime.fromtimestamp(request["now"] / 1_000, UTC)
    span, surface, webhook = {"start": end - timedelta(hours=1), "end": end}, request["surface"], "whk_1"
    if request["isAsync"]:
        found = await reconcile_async(client, surface, Settled(store), webhook, **span)
    else:
        found = reconcile(client, surface, store, webhook, **span)
    lists = {name: [each.number for each in getattr(found, name)] for name in ("replayed", "awaited", "unsubscribed")}
    return {**lists, "listed": found.listed, "gaps": [{"first": gap.start, "last": gap.stop - 1} for gap in found.gaps]}


async def receive(request: dict[str, Any]) -> object:
    handled: list[dict[str, object]] = []
    responses: list[object] = []
    failures = [RuntimeError()] * request.get("failures", 0)

    def on_event(event: WebhookEvent, about: Delivery) -> None:
        if failures:
            raise failures.pop()
        shown: dict[str, object] = {"isStale": about.is_stale, "isTest": about.is_test, "number": about.number}
        shown |= {"deliveryId": about.delivery_id, "subscriptionId": about.subscription_id}
        handled.append({"id": event["id"], **shown})

    async def on_event_async(event: WebhookEvent, about: Delivery) -> None:
        await asyncio.sleep(0)
        on_event(event, about)

    secrets, store, now = request["secrets"], MemoryStore(), request["now"] / 1_000
    url = request.get("publicKeysUrl")
    receiver = WebhookReceiver(secrets, store, on_event, public_keys_url=url, now=lambda: now)
    asynchronous = AsyncWebhookReceiver(secrets, Settled(store), on_event_async, public_keys_url=url, now=lambda: now)
    for each in request["deliveries"]:
        now += each.get("laterMs", 0) / 1_000
        sent = each["headers"], base64.b64decode(each["body"])
        try:
            response = await asynchronous.receive(*sent) if request["isAsync"] else receiver.receive(*sent)
            responses.append({"status": response.status} | ({"error": response.error} if response.error else {}))
        except RuntimeError:
            responses.append("raised")
    return {"responses": responses, "handled": handled}


async def use_key(request: dict[str, Any]) -> object:
    key: str = request["apiKey"]
    if request["of"] == "feed":
        return event_feed_secret(key)
    create_partner_client("https://partner.example", key)
    return key


def described(error: PartnerError) -> dict[str, Any]:
    shown: dict[str, Any] = {"type": type(error).__name__.replace("PartnerC", "C"), "message": str(error)}
    shown |= {"retryable": error.retryable, "idempotencyKey": error.idempotency_key}
    if isinstance(error, ApiError):
        violations = [{"path": each.path, "message": each.message} for each in error.violations]
        shown |= {"status": error.status, "code": error.code, "requestId": error.request_id, "violations": violations}
        shown["allowed"] = error.body.get("allowed")
    if isinstance(error, VersionConflictError):
        shown["currentVersion"] = error.current_version
    return shown


DO_WITH_CLIENT = {"call": call, "follow": follow, "reconcile": compare}
DO = {"receive": receive, "useKey": use_key}

for line in sys.stdin:
    asked = json.loads(line)
    waited: list[float] = []
    try:
        if asked["do"] in DO:
            work = DO[asked["do"]](asked)
        else:
            work = DO_WITH_CLIENT[asked["do"]](asked, client_of(asked, waited))
        response = {"value": asyncio.run(work)}
    except PartnerError as failure:
        response = {"error": described(failure)}
    except (TypeError, ValueError) as refusal:
        response = {"error": {"type": "", "message": str(refusal)}}
    print(json.dumps({**response, "waits": [round(seconds * 1_000) for seconds in waited]}), flush=True)
