"""The webhook receiver and its handlers for web frameworks. The rules are CLIENT-5 to CLIENT-7 and CLIENT-10."""

import asyncio
import base64
import hashlib
import hmac
import json
import threading
import unittest
from collections.abc import Callable, Mapping
from email.message import Message
from random import Random
from types import MappingProxyType
from typing import Any, assert_type

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
    WebhookResponse,
    create_partner_client,
    event_feed_secret,
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
    version: int = 2,
    secret: str = SECRET,
    age: int = 0,
    body: bytes | None = None,
    **headers: str,
) -> tuple[dict[str, str], bytes]:
    resource = {"type": "install_job", "id": "job_1", "version": version}
    event = {"id": event_id, "event": name, "resource": resource, "data": {"note": "café ☕"}}
    body = json.dumps(event, ensure_ascii=False).encode() if body is None else body
    timestamp = str(NOW - age)
    own = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    key = base64.b64decode(secret.removeprefix("whsec_"))
    standard = hmac.new(key, f"{event_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    signed = {
        "x-svc-timestamp": timestamp,
        "x-svc-signature": f"v1={own}",
        "webhook-id": event_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{base64.b64encode(standard).decode()}",
    }
    return {**signed, **{name.replace("_", "-"): value for name, value in headers.items()}}, body


def without(prefix: str, sent: tuple[dict[str, str], bytes]) -> tuple[dict[str, str], bytes]:
    headers, body = sent
    return {name: value for name, value in headers.items() if not name.startswith(prefix)}, body


Receive = Callable[[Mapping[str, str], bytes], int]


class Receiver:
    """A receiver of either kind that records what it handles."""

    def __init__(self, is_async: bool, secrets: list[str] | None = None) -> None:
        self.handled: list[tuple[str, Delivery]] = []
        self.fails = False
        store = MemoryStore()
        if is_async:
            self.receiver: WebhookReceiver | AsyncWebhookReceiver = AsyncWebhookReceiver(
                secrets or [SECRET], store, self._handle_async, now=lambda: NOW
            )
        else:
            self.receiver = WebhookReceiver(secrets or [SECRET], store, self._handle, now=lambda: NOW)

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


# Bodies that parsers have failed at.
HOSTILE = (
    *("", "null", "1", "[]", "{}", '"', "\0", "\ufeff{}", "1e999", "9" * 10_000, "NaN", "\ud800", '{"__class__":1}'),
    *("[" * 200_000, '{"a":' * 200_000),
    *(
        f'{{"id":"e","event":"e","resource":{{"type":"t","id":"i","version":{value}}},"data":{{}}}}'
        for value in ('"\\ud800"', "9007199254740993", "1e400", "true", "1.5", "null", '"2"', "9" * 5_000, "NaN")
    ),
    '{"id":"\\ud800","event":"e","resource":{"type":"t","id":"i","version":1},"data":{}}',
    '{"id":"e","event":"e","resource":{"type":"t","id":"\\udfff","version":1},"data":{}}',
)


class Webhooks(unittest.TestCase):
    def test_accepts_what_is_signed(self) -> None:
        standard = delivery()[0]["webhook-signature"]
        upper = {name.upper(): value for name, value in delivery()[0].items()}, delivery()[1]
        for sent in (
            delivery(),
            without("webhook-", delivery()),
            without("x-svc-", delivery()),
            delivery(webhook_signature=f"v1a,xx v1,AAAA {standard}"),
            delivery(age=300),
            upper,
        ):
            for is_async in (False, True):
                receiver = Receiver(is_async)
                assert receiver.receive(sent) == 204, sent
                assert receiver.ids == ["evt_1"]

    def test_accepts_each_of_several_secrets_and_that_of_an_api_key(self) -> None:
        feed = event_feed_secret("key_a.svc_test_b")
        receiver = Receiver(False, [OTHER, SECRET, feed])
        sent = [delivery("evt_1"), delivery("evt_2", secret=OTHER), delivery("evt_3", secret=feed)]
        assert [receiver.receive(each) for each in sent] == [204, 204, 204]

    def test_refuses_what_is_not_signed(self) -> None:
        headers, body = delivery()
        for sent in (
            (headers, body.replace(b"job_1", b"job_2")),
            (headers, body + b" "),
            delivery(secret=OTHER),
            delivery(webhook_signature="v1,AAAA"),
            delivery(x_svc_signature="v1=é"),
            delivery(age=301),
            delivery(age=-301),
            delivery(x_svc_timestamp=str(NOW + 1)),
            delivery(x_svc_timestamp="NaN", webhook_timestamp="NaN"),
            ({}, body),
        ):
            for is_async in (False, True):
                receiver = Receiver(is_async)
                assert receiver.receive(sent) == 401, sent
                assert receiver.ids == []

    def test_refuses_an_envelope_that_it_cannot_read(self) -> None:
        headers, body = without("webhook-", delivery())
        assert Receiver(False).receive(({**headers, "webhook-id": "evt_9"}, body)) == 400
        for text in (b'{"id":"evt_1"}', b"[]", b"not json", b"\xff"):
            assert Receiver(False).receive(delivery(body=text)) == 400, text

    def test_refuses_secrets_that_are_none(self) -> None:
        for secrets in ([], [""], SECRET):
            with self.assertRaisesRegex(TypeError, "whsec_"):
                WebhookReceiver(secrets, MemoryStore(), print)

    def test_refuses_a_secret_or_key_with_something_invisible_around_it(self) -> None:
        for text in ("\n", "\r\n", " ", "\t", "\0", "\u00a0", "\u200b", "\u2028", "\ufeff", "\u2060", "\u00ad"):
            refusal = f"white space or another character that does not belong to it: U\\+{ord(text[0]):04X} at"
            for wrong in (SECRET + text, text + SECRET, f"whsec_{text}{SECRET[6:]}"):
                with self.assertRaisesRegex(ValueError, refusal) as raised:
                    WebhookReceiver([OTHER, wrong], MemoryStore(), print)
                assert SECRET[6:] not in str(raised.exception)
            with self.assertRaisesRegex(ValueError, refusal):
                event_feed_secret(f"key_a.secret{text}")
            with self.assertRaisesRegex(ValueError, refusal):
                create_partner_client("https://partner.example", f"key_a.secret{text}")
        with self.assertRaisesRegex(ValueError, "is empty"):
            create_partner_client("https://partner.example", "")

    def test_says_so_if_a_body_was_written_again(self) -> None:
        headers, _ = delivery()
        envelope = json.loads(delivery()[1])
        compact = json.dumps(envelope, separators=(",", ":"), ensure_ascii=False).encode()
        headers, _ = delivery(body=compact)
        for written in (json.dumps(envelope), json.dumps(envelope, indent=1), json.dumps(envelope, separators=(",", ":"))):
            response = WebhookReceiver([SECRET], MemoryStore(), print, now=lambda: NOW).receive(headers, written)
            assert response.status == 401 and "pass the raw bytes" in (response.error or "")
            for other in (written.replace("job_1", "job_2"), written + " " * 65_536):
                response = WebhookReceiver([SECRET], MemoryStore(), print, now=lambda: NOW).receive(headers, other.encode())
                assert response == WebhookResponse(401, "the signature matches none of the secrets")

    def test_answers_any_headers_and_body_and_never_raises(self) -> None:
        random = Random("hostile 16")
        texts = ("", " ", "\ud800", "é", "😀", "\0", "v1=", "v1,", "9" * 5_000, "-1", "1e3", "٣", "v1=\udfff", "v1=😀")
        values: list[object] = [*texts, b"v1=\xff", b"\x80", "v1,A " * 5_000, 7, None, [], [1], ["\ud800"], ("v1=", "x"), {}]
        signature_names = ("x-svc-signature", "X-Svc-Timestamp", "webhook-signature", "webhook-id", "x-svc-number")
        names = (*signature_names, b"Webhook-Id", 5, None, "é")
        for is_async in (False, True) * 1_000:
            text = random.choice(HOSTILE)
            forms = (text, text.encode(errors="surrogatepass"), bytearray(random.randbytes(20)), b"\xff\xfe{\0}\0")
            body = random.choice(forms)
            raw = body.encode(errors="surrogatepass") if isinstance(body, str) else bytes(body)
            headers: dict[Any, Any] = dict(delivery(body=raw)[0]) if random.random() < 0.5 else {}
            headers |= {name: random.choice(values) for name in names if random.random() < 0.4}
            mapping = random.choice((headers, list(headers.items()), iter(headers.items()), MappingProxyType(headers)))
            receiver = Receiver(is_async)
            assert receiver.receive((mapping, body)) in (400, 401), (headers, body)
            assert receiver.ids == []

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

    def test_reads_headers_of_any_mapping_and_no_number_that_is_none(self) -> None:
        headers, body = delivery(x_svc_number="9" * 5_000)
        message = Message()
        for name, value in headers.items():
            message[name] = value
        pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
        lists = {name: [value] for name, value in headers.items()}
        for mapping in (headers, message, pairs, lists):
            for is_async in (False, True):
                receiver = Receiver(is_async)
                assert receiver.receive((mapping, memoryview(body))) == 204
                assert receiver.handled[0][1].number is None

    def test_handles_an_event_once_and_again_after_a_failure(self) -> None:
        for is_async in (False, True):
            receiver = Receiver(is_async)
            receiver.fails = True
            with self.assertRaises(RuntimeError):
                receiver.receive(delivery())
            receiver.fails = False
            assert [receiver.receive(delivery()) for _ in range(2)] == [204, 204]
            assert receiver.ids == ["evt_1"]

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

    def test_reports_an_older_version_as_stale_and_does_not_count_tests(self) -> None:
        for is_async in (False, True):
            receiver = Receiver(is_async)
            receiver.receive(delivery("evt_t", version=9, x_svc_test="true"))
            for index, version in enumerate((3, 2, 3, 4)):
                receiver.receive(delivery(f"evt_{index}", version=version, x_svc_number="17"))
            assert [about.is_stale for _, about in receiver.handled] == [False, False, True, False, False]
            assert receiver.handled[0][1].is_test and receiver.handled[1][1].number == 17


CSRF = ["django.middleware.csrf.CsrfViewMiddleware"]
settings.configure(ROOT_URLCONF=__name__, SECRET_KEY="test", ALLOWED_HOSTS=["*"], LOGGING_CONFIG=None, MIDDLEWARE=CSRF)
django.setup()

DJANGO = {"sync": Receiver(False), "async": Receiver(True)}
urlpatterns = [path(f"{name}/webhooks", django_view(each.receiver)) for name, each in DJANGO.items()]


class Frameworks(unittest.TestCase):
    def check(self, receiver: Receiver, post: Callable[[Mapping[str, str], bytes], tuple[int, bytes]]) -> None:
        assert post(*delivery())[0] == 204
        assert post(*delivery(body=b"[]"))[0] == 400
        assert post(*delivery(secret=OTHER)) == (401, b"the signature matches none of the secrets")
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
