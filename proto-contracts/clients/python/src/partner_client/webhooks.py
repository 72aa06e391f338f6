"""Receives webhooks independently of any web framework."""

import asyncio
import base64
import hashlib
import hmac
import json
import re
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeGuard

from .gen.events import WebhookEnvelope
from .public_keys import TIMEOUT_SECONDS, PublicKeys, from_base64
from .secret_text import require_visible
from .stores import AsyncStore, Store, settled

WebhookEvent: TypeAlias = WebhookEnvelope
"""
The envelope of a webhook, as it was sent. `event["event"] == "install.job_assigned"` narrows it to that event and its data. An
event that is not in this union can come without a new version.
"""


@dataclass(frozen=True)
class Delivery:
    """What is known about a delivery besides its event."""

    is_stale: bool
    """An event with a higher version of the same resource has been handled. Do not overwrite newer state with it."""
    is_test: bool
    """Nothing happened, and the data can be an example."""
    number: int | None
    """The event's number among those of the webhook. It has no gaps, so a missing number is a missed event."""
    delivery_id: str | None
    """New in each attempt; the console finds the delivery by it."""
    subscription_id: str | None


@dataclass(frozen=True)
class WebhookResponse:
    """The response that a delivery gets. `error` is for the sender's log and names no secret."""

    status: int
    error: str | None = None


Headers: TypeAlias = Mapping[str, Any] | Iterable[tuple[Any, Any]]
"""Headers as frameworks have them: a mapping, or pairs of names and values, in texts or bytes."""
Body: TypeAlias = bytes | bytearray | memoryview | str

_HANDLED = WebhookResponse(204)
_MISMATCH = "the signature matches none of the secrets and public keys"
# A body beyond this is not parsed to explain a refusal: anyone can send it, and a webhook is seldom larger.
_MOST_EXPLAINED_BYTES = 65_536
_SURROGATE = re.compile("[\ud800-\udfff]")
# Resources share these locks. So the memory is bounded, and only a few resources wait for one another.
_LOCKS = 64


def event_feed_secret(api_key: str) -> str:
    """The secret of what the events feed returns: it is signed with your API key."""
    require_visible("api_key", api_key)
    return "whsec_" + base64.b64encode(api_key.encode()).decode()


class Verifier:
    """Verifies signatures with each of the secrets, and asymmetric ones with the public keys of a webhook."""

    def __init__(
        self,
        secrets: Sequence[str],
        tolerance_seconds: float,
        now: Callable[[], float],
        public_keys_url: str | None = None,
    ) -> None:
        for secret in [] if isinstance(secrets, str) else secrets:
            if secret:
                require_visible("a secret", secret)
        if isinstance(secrets, str) or not (secrets or public_keys_url) or not all(_is_secret(secret) for secret in secrets):
            raise TypeError("secrets must be a list with at least one text of the form whsec_…")
        self._secrets, self._tolerance_seconds, self.now = tuple(secrets), tolerance_seconds, now
        self.public_keys = PublicKeys(public_keys_url, now) if public_keys_url else None

    def pending_read(self, headers: Mapping[str, str]) -> Future[None] | None:
        """A read of the public keys after which a refused delivery can be genuine."""
        is_asymmetric = any(text.startswith("v1a,") for text in headers.get("webhook-signature", "").split(" "))
        return self.public_keys.pending_read() if self.public_keys and is_asymmetric else None

    def parse_after_read(self, headers: Mapping[str, str], body: bytes) -> WebhookEvent | WebhookResponse:
        """As parse. Raises if no public keys could be read yet."""
        if self.public_keys:
            self.public_keys.require_known()
        return self.parse(headers, body)

    def parse(self, headers: Mapping[str, str], body: bytes) -> WebhookEvent | WebhookResponse:
        """The event of a genuine delivery, or the response for another one."""
        refusal = self._explained_refusal(headers, body)
        if refusal is not None:
            return WebhookResponse(401, refusal)
        event = _event(body)
        if event is None:
            return WebhookResponse(400, "the body is not a webhook envelope")
        if headers.get("webhook-id", event["id"]) != event["id"]:
            return WebhookResponse(400, "webhook-id is not the id of the event")
        return event

    def refusal(self, headers: Mapping[str, str], body: bytes) -> str | None:
        """
        Why a message is refused; None for a genuine one. Each of the two signature forms that is present must be made with one
        of the secrets, and at least one is. In the form of Standard Webhooks a public key counts as a secret; without secrets it
        is the only form.
        """
        timestamp = headers.get("x-svc-timestamp", headers.get("webhook-timestamp", ""))
        standard_timestamp = headers.get("webhook-timestamp", timestamp)
        own = headers.get("x-svc-signature") if self._secrets else None
        standard = headers.get("webhook-signature")
        if own is None and standard is None:
            return "the signature is missing"
        if own is not None:
            content = _bytes(timestamp) + b"." + body
            expected = ["v1=" + _digest(secret.encode(), content).hex() for secret in self._secrets]
            if not _has_match([own], expected):
                return _MISMATCH
        if standard is not None:
            content = _bytes(f"{headers.get('webhook-id', '')}.{standard_timestamp}.") + body
            keys = [key for secret in self._secrets if (key := _standard_key(secret))]
            expected = ["v1," + base64.b64encode(_digest(key, content)).decode() for key in keys]
            is_signed = _has_match(standard.split(" "), expected)
            if not is_signed and not (self.public_keys and self.public_keys.have_signed(standard, content)):
                return _MISMATCH
        if self._is_in_time(timestamp) and self._is_in_time(standard_timestamp):
            return None
        return f"the timestamp is missing or more than {self._tolerance_seconds} seconds off"

    def _explained_refusal(self, headers: Mapping[str, str], body: bytes) -> str | None:
        """
        As refusal, and names the most frequent mistake: the signature fits the body as the service writes it, so the caller has
        parsed the body and written it again.
        """
        refusal = self.refusal(headers, body)
        if refusal != _MISMATCH or len(body) > _MOST_EXPLAINED_BYTES:
            return refusal
        written = _written_again(body)
        if written is None or self.refusal(headers, written) == _MISMATCH:
            return refusal
        return (
            f"{_MISMATCH}, but fits the body as it was sent: the body was parsed and written again before it was verified; "
            "pass the raw bytes of the request"
        )

    def _is_in_time(self, timestamp: str) -> bool:
        is_number = timestamp.isascii() and timestamp.isdigit() and len(timestamp) < 20
        return is_number and abs(self.now() - int(timestamp)) <= self._tolerance_seconds


class WebhookReceiver:
    """
    Verifies each delivery and handles each event once. An event is recorded after
    `on_event`, so one during which the process ends comes again. Deliveries for one resource are handled one after another,
    within this process.

    secrets: the signing secrets, `whsec_…`: one, and during a rotation also the pending one. None is needed with public keys.
    public_keys_url: where the service lists the public keys of a webhook with asymmetric signatures,
    `https://…/.well-known/webhooks/whk_…`. It needs the extra `ed25519` of this package.
    """

    def __init__(
        self,
        secrets: Sequence[str],
        store: Store,
        on_event: Callable[[WebhookEvent, Delivery], object],
        *,
        public_keys_url: str | None = None,
        tolerance_seconds: float = 300,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._verifier = Verifier(secrets, tolerance_seconds, now, public_keys_url)
        self._store, self._on_event = store, on_event
        self._locks = [threading.Lock() for _ in range(_LOCKS)]

    def receive(self, headers: Headers, body: Body) -> WebhookResponse:
        """
        `body` must be the raw bytes: JSON that was written again has another signature. Raises what `on_event` and the store
        raise, and a RuntimeError if a delivery needs public keys and none could be read yet; any other headers and body are 401
        or 400.
        """
        headers, body = _lower_case(headers), _raw(body)
        read = self._verifier.pending_read(headers)
        event = self._verifier.parse(headers, body)
        if read and isinstance(event, WebhookResponse) and event.status == 401:
            wait([read], TIMEOUT_SECONDS)
            event = self._verifier.parse_after_read(headers, body)
        if isinstance(event, WebhookResponse):
            return event
        handled_key, version_key = event_key(event["id"]), _version_key(event)
        with self._locks[hash(version_key) % _LOCKS]:
            if self._store.get(handled_key) is not None:
                return _HANDLED
            handled = int(self._store.get(version_key) or 0)
            delivery = _delivery(headers, event, handled)
            self._on_event(event, delivery)
            if not delivery.is_test and event["resource"]["version"] > handled:
                self._store.set(version_key, str(event["resource"]["version"]))
            self._store.set(handled_key, str(self._verifier.now()))
        return _HANDLED


class AsyncWebhookReceiver:
    """Like WebhookReceiver, within one event loop. Django under WSGI has a loop for each request: use a WebhookReceiver there."""

    def __init__(
        self,
        secrets: Sequence[str],
        store: Store | AsyncStore,
        on_event: Callable[[WebhookEvent, Delivery], Awaitable[object]],
        *,
        public_keys_url: str | None = None,
        tolerance_seconds: float = 300,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._verifier = Verifier(secrets, tolerance_seconds, now, public_keys_url)
        self._store, self._on_event = store, on_event
        self._locks = [asyncio.Lock() for _ in range(_LOCKS)]

    async def receive(self, headers: Headers, body: Body) -> WebhookResponse:
        """Like that of WebhookReceiver."""
        headers, body = _lower_case(headers), _raw(body)
        read = self._verifier.pending_read(headers)
        event = self._verifier.parse(headers, body)
        if read and isinstance(event, WebhookResponse) and event.status == 401:
            await asyncio.wait([asyncio.wrap_future(read)], timeout=TIMEOUT_SECONDS)
            event = self._verifier.parse_after_read(headers, body)
        if isinstance(event, WebhookResponse):
            return event
        handled_key, version_key = event_key(event["id"]), _version_key(event)
        async with self._locks[hash(version_key) % _LOCKS]:
            if await settled(self._store.get(handled_key)) is not None:
                return _HANDLED
            handled = int(await settled(self._store.get(version_key)) or 0)
            delivery = _delivery(headers, event, handled)
            await self._on_event(event, delivery)
            if not delivery.is_test and event["resource"]["version"] > handled:
                await settled(self._store.set(version_key, str(event["resource"]["version"])))
            await settled(self._store.set(handled_key, str(self._verifier.now())))
        return _HANDLED


def _delivery(headers: Mapping[str, str], event: WebhookEvent, handled: int) -> Delivery:
    is_test = headers.get("x-svc-test") == "true"
    number = headers.get("x-svc-number", "")
    return Delivery(
        is_stale=not is_test and event["resource"]["version"] < handled,
        is_test=is_test,
        # A header is not signed, so anything can be in it.
        number=int(number) if number.isascii() and number.isdigit() and len(number) < 20 else None,
        delivery_id=headers.get("x-svc-delivery-id"),
        subscription_id=headers.get("x-svc-subscription-id"),
    )


def event_key(event_id: str) -> str:
    """Where a receiver records an event that it has handled."""
    return f"event:{event_id}"


def _version_key(event: WebhookEvent) -> str:
    return f"version:{event['resource']['type']}:{event['resource']['id']}"


def _event(body: bytes) -> WebhookEvent | None:
    try:
        envelope: object = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return envelope if _is_event(envelope) else None


def _is_event(envelope: object) -> TypeGuard[WebhookEvent]:
    resource = envelope.get("resource") if isinstance(envelope, dict) else None
    if not isinstance(envelope, dict) or not isinstance(resource, dict):
        return False
    texts = (envelope.get("id"), envelope.get("event"), resource.get("type"), resource.get("id"))
    # A lone surrogate cannot be a part of a key in a store.
    if not all(isinstance(text, str) and not _SURROGATE.search(text) for text in texts):
        return False
    version = resource.get("version")
    return isinstance(version, int) and not isinstance(version, bool) and abs(version) < 2**53


def _written_again(body: bytes) -> bytes | None:
    """The body in the notation of the service: compact JSON."""
    try:
        return json.dumps(json.loads(body), separators=(",", ":"), ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None


def _lower_case(headers: Headers) -> dict[str, str]:
    """Reads any mapping of headers, and pairs as those of ASGI. What is not a text is no header."""
    texts: dict[str, str] = {}
    for name, value in headers.items() if isinstance(headers, Mapping) or hasattr(headers, "items") else headers:
        first = value[0] if isinstance(value, list | tuple) and value else value
        if isinstance(name, str | bytes) and isinstance(first, str | bytes):
            texts[_text(name).lower()] = _text(first)
    return texts


def _text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("latin-1")


def _bytes(text: str) -> bytes:
    """Of any text, also one with a lone surrogate, which no signature fits."""
    return text.encode(errors="surrogatepass")


def _raw(body: Body) -> bytes:
    """The bytes of a body. Of one that was parsed, those that it would be written as: they explain the refusal."""
    if isinstance(body, bytes | bytearray | memoryview):
        return bytes(body)
    if isinstance(body, str):
        return _bytes(body)
    try:
        return json.dumps(body, default=repr).encode()
    except (TypeError, ValueError, RecursionError):
        # It was never JSON, or is nested too deeply to be written here.
        return b""


def _has_match(given: Sequence[str], expected: Sequence[str]) -> bool:
    """Compares every pair in constant time."""
    return any([hmac.compare_digest(_bytes(one), other.encode()) for one in given for other in expected])


def _digest(key: bytes, content: bytes) -> bytes:
    return hmac.new(key, content, hashlib.sha256).digest()


def _is_secret(secret: str) -> bool:
    return secret.startswith("whsec_") and len(secret) > len("whsec_")


def _standard_key(secret: str) -> bytes | None:
    return from_base64(secret.removeprefix("whsec_"))
