"""What receivers of Python have beside the rules in `client-webhooks.int.test.ts`, and their frameworks."""

import asyncio
import base64
import hashlib
import hmac
import json
import sys
import threading
import unittest
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, assert_type
from unittest.mock import patch

import django
from django.conf import settings
from django.test import AsyncClient, Client
from django.urls import path
from fastapi import FastAPI
from fastapi.testclient import TestClient

from partner_client import (
    AsyncWebhookReceiver,
    Delivery,
    MemoryStore,
    WebhookEvent,
    WebhookReceiver,
)
from partner_client.django import django_view
from partner_client.fastapi import fastapi_endpoint
from partner_client.gen.events import InstallJobUnassignedData, InstallStatusChangedData

NOW = 1_788_438_667
SECRET = "whsec_" + base64.b64encode(bytes([7] * 32)).decode()
OTHER = "whsec_" + base64.b64encode(bytes([8] * 32)).decode()


def delivery(
    event_id: str = "evt_1",
    *,
    name: str = "install.status_changed",
    secret: str = SECRET,
    body: bytes | None = None,
) -> tuple[dict[str, str], bytes]:
    resource = {"type": "install_job", "id": "job_1", "version": 2}
    event = {"id": event_id, "event": name, "resource": resource, "data": {"note": "café ☕"}}
    body = json.dumps(event, ensure_ascii=False).encode() if body is None else body
    own = hmac.new(secret.encode(), f"{NOW}.".encode() + body, hashlib.sha256).hexdigest()
    return {"x-svc-timestamp": str(NOW), "x-svc-signature": f"v1={own}", "webhook-id": event_id}, body


class Receiver:
    """A receiver of either kind that records what it handles."""

    def __init__(self, is_async: bool) -> None:
        self.handled: list[tuple[str, Delivery]] = []
        self.fails = False
        store = MemoryStore()
        if is_async:
            self.receiver: WebhookReceiver | AsyncWebhookReceiver = AsyncWebhookReceiver(
                [SECRET], store, self._handle_async, now=lambda: NOW
            )
        else:
            self.receiver = WebhookReceiver([SECRET], store, self._handle, now=lambda: NOW)

    def _handle(self, event: WebhookEvent, about: Delivery) -> None:
        if self.fails:
            raise RuntimeError("database down")
        self.handled.append((event["id"], about))

    async def _handle_async(self, event: WebhookEvent, about: Delivery) -> None:
        await asyncio.sleep(0)
        self._handle(event, about)

    def receive(self, sent: tuple[Any, Any]) -> int:
        if isinstance(self.receiver, AsyncWebhookReceiver):
            return asyncio.run(self.receiver.receive(*sent)).status
        return self.receiver.receive(*sent).status

    @property
    def ids(self) -> list[str]:
        return [event_id for event_id, _ in self.handled]


class Webhooks(unittest.TestCase):
    def test_refuses_a_parsed_body_that_cannot_be_written_again(self) -> None:
        circle: dict[str, Any] = {}
        circle["of"] = circle
        deep: list[Any] = []
        for _ in range(100_000):
            deep = [deep]
        bodies: list[Any] = [deep, circle, {("a", "b"): 1}, object(), None]
        for body in bodies:
            for is_async in (False, True):
                assert Receiver(is_async).receive((delivery()[0], body)) == 401

    def test_reads_headers_of_any_mapping(self) -> None:
        headers, body = delivery()
        message = Message()
        for name, value in headers.items():
            message[name] = value
        pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
        lists = {name: [value] for name, value in headers.items()}
        for mapping in (headers, message, pairs, lists):
            for is_async in (False, True):
                receiver = Receiver(is_async)
                assert receiver.receive((mapping, memoryview(body))) == 204

    def test_handles_deliveries_that_arrive_together_once(self) -> None:
        handled: list[str] = []
        second = threading.Thread(target=lambda: receiver.receive(*delivery()))

        def on_event(event: WebhookEvent, about: Delivery) -> None:
            handled.append(event["id"])
            if len(handled) == 1:
                second.start()
                second.join(0.2)  # It waits for this delivery; without a lock it would finish.

        receiver = WebhookReceiver([SECRET], MemoryStore(), on_event, now=lambda: NOW)
        receiver.receive(*delivery())
        second.join()
        assert handled == ["evt_1"]
        asynchronous = Receiver(True)

        async def together() -> None:
            assert isinstance(asynchronous.receiver, AsyncWebhookReceiver)
            await asyncio.gather(*[asynchronous.receiver.receive(*delivery()) for _ in range(8)])

        asyncio.run(together())
        assert asynchronous.ids == ["evt_1"]

    def test_shares_one_read_of_public_keys(self) -> None:
        reads: list[str] = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                reads.append(self.path)
                self.send_error(503)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        def ignore(event: WebhookEvent, about: Delivery) -> None: ...

        async def ignore_async(event: WebhookEvent, about: Delivery) -> None: ...

        sent = {"webhook-signature": "v1a,AA"}, b""
        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            threading.Thread(target=server.serve_forever).start()
            try:
                url = f"http://127.0.0.1:{server.server_port}/"
                receiver = WebhookReceiver([], MemoryStore(), ignore, public_keys_url=url, now=lambda: NOW)
                with ThreadPoolExecutor(8) as pool:
                    results = [pool.submit(receiver.receive, *sent) for _ in range(8)]
                asynchronous = AsyncWebhookReceiver([], MemoryStore(), ignore_async, public_keys_url=url, now=lambda: NOW)

                async def together() -> list[object]:
                    deliveries = [asynchronous.receive(*sent) for _ in range(8)]
                    return list(await asyncio.gather(*deliveries, return_exceptions=True))

                failures = [result.exception() for result in results] + asyncio.run(together())
            finally:
                server.shutdown()
        assert [type(failure) for failure in failures] == [RuntimeError] * 16
        assert reads == ["/", "/"]

    def test_names_the_extra_that_public_keys_need(self) -> None:
        with patch.dict(sys.modules, {"cryptography.exceptions": None}):
            with self.assertRaisesRegex(ModuleNotFoundError, r"pip install 'partner-client\[ed25519\]"):
                WebhookReceiver([], MemoryStore(), lambda event, about: None, public_keys_url="https://partner.example/")

    def test_types_the_data_by_the_name_of_the_event_and_hands_over_one_that_is_new(self) -> None:
        read: list[object] = []

        def on_event(event: WebhookEvent, about: Delivery) -> None:
            if event["event"] == "install.status_changed":
                assert_type(event["data"], InstallStatusChangedData)
                read.append(event["data"]["note"])
            elif event["event"] == "install.job_unassigned":
                assert_type(event["data"], InstallJobUnassignedData)
            else:
                read.append(event["event"])

        receiver = WebhookReceiver([SECRET], MemoryStore(), on_event, now=lambda: NOW)
        for sent in (delivery("evt_1"), delivery("evt_2", name="install.of_tomorrow")):
            assert receiver.receive(*sent).status == 204
        assert read == ["café ☕", "install.of_tomorrow"]


CSRF = ["django.middleware.csrf.CsrfViewMiddleware"]
settings.configure(ROOT_URLCONF=__name__, SECRET_KEY="test", ALLOWED_HOSTS=["*"], LOGGING_CONFIG=None, MIDDLEWARE=CSRF)
django.setup()

DJANGO = {"sync": Receiver(False), "async": Receiver(True)}
urlpatterns = [path(f"{name}/webhooks", django_view(each.receiver)) for name, each in DJANGO.items()]


class Frameworks(unittest.TestCase):
    def check(self, receiver: Receiver, post: Callable[[Mapping[str, str], bytes], tuple[int, bytes]]) -> None:
        assert post(*delivery())[0] == 204
        assert post(*delivery(body=b"[]"))[0] == 400
        assert post(*delivery(secret=OTHER)) == (401, b"the signature matches none of the secrets and public keys")
        assert post({}, b" " * (3 * 1024 * 1024))[0] == 401
        assert post({}, b" " * (9 * 1024 * 1024))[0] == 413
        assert receiver.ids == ["evt_1"]
        receiver.fails = True
        assert post(*delivery("evt_2"))[0] == 500
        receiver.fails = False

    def test_fastapi(self) -> None:
        for is_async in (False, True):
            receiver = Receiver(is_async)
            app = FastAPI()
            app.post("/webhooks")(fastapi_endpoint(receiver.receiver))
            client = TestClient(app, raise_server_exceptions=False)

            def post(headers: Mapping[str, str], body: bytes, client: TestClient = client) -> tuple[int, bytes]:
                response = client.post("/webhooks", headers=dict(headers), content=body)
                return response.status_code, response.content

            self.check(receiver, post)

    def test_django(self) -> None:
        def post(headers: Mapping[str, str], body: bytes) -> tuple[int, bytes]:
            client = Client(raise_request_exception=False, enforce_csrf_checks=True)
            response: Any = client.post("/sync/webhooks", body, "application/json", headers=dict(headers))
            return response.status_code, response.content

        self.check(DJANGO["sync"], post)

    def test_django_async(self) -> None:
        def post(headers: Mapping[str, str], body: bytes) -> tuple[int, bytes]:
            client = AsyncClient(raise_request_exception=False, enforce_csrf_checks=True)
            sent = client.post("/async/webhooks", body, "application/json", headers=dict(headers))
            response: Any = asyncio.run(sent)
            return response.status_code, response.content

        self.check(DJANGO["async"], post)
