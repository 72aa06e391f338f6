"""Transports of httpx that give writes an idempotency key, retry, and raise typed errors."""

import asyncio
import random
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import httpx

from .errors import PartnerConnectionError, error_of

_RETRIED = frozenset({429, 502, 503, 504})
_FIRST_BACKOFF_SECONDS = 0.5
_MOST_BACKOFF_SECONDS = 20.0
# 24.8 days: sockets and some clocks count milliseconds in 31 bits.
_MOST_TIMER_SECONDS = (2**31 - 1) / 1_000


@dataclass(frozen=True)
class RetryLimits:
    """Limits of one call, which ends at the first of them."""

    attempts: int = 5
    """Maximum number of attempts."""
    total_seconds: float = 120
    """For all attempts and delays together: more than a rate limit can last."""
    attempt_seconds: float = 30
    """For one attempt, body included."""


def sleep(seconds: float) -> None:
    """As time.sleep, also for longer than its timer holds."""
    while seconds > 0:
        time.sleep(min(seconds, _MOST_TIMER_SECONDS))
        seconds -= _MOST_TIMER_SECONDS


@dataclass(frozen=True)
class Surroundings:
    """Sources of time and chance; a test replaces them."""

    now: Callable[[], float] = time.time
    random: Callable[[], float] = random.random
    sleep: Callable[[float], None] = sleep
    sleep_async: Callable[[float], Awaitable[None]] = asyncio.sleep


class _Call:
    """One call with its attempts: decides after each whether another one follows, and when."""

    def __init__(self, request: httpx.Request, limits: RetryLimits, surroundings: Surroundings) -> None:
        if request.method != "GET" and "idempotency-key" not in request.headers:
            request.headers["idempotency-key"] = str(uuid.uuid4())
        self._request, self._limits, self._surroundings = request, limits, surroundings
        self._key = None if request.method == "GET" else request.headers["idempotency-key"]
        self._end = surroundings.now() + limits.total_seconds
        self._attempts = 0

    def begin_attempt(self) -> None:
        self._attempts += 1
        now = self._surroundings.now()
        left = max(0.001, min(self._limits.attempt_seconds, self._end - now, _MOST_TIMER_SECONDS))
        self._attempt_end = now + left
        self._request.extensions["timeout"] = dict.fromkeys(("connect", "read", "write", "pool"), left)

    def check_time(self) -> None:
        """httpx limits the wait for each part of a body; this limits all parts together."""
        if self._surroundings.now() > self._attempt_end:
            raise httpx.ReadTimeout("the body did not arrive in time", request=self._request)

    def delay_after(self, outcome: httpx.Response | httpx.RequestError) -> float | None:
        """Seconds until the next attempt; None if there is none and the outcome is a success. Else raises the error."""
        response = outcome if isinstance(outcome, httpx.Response) else None
        if response is not None and not _is_retried(response):
            self._finish(outcome)
            return None
        now = self._surroundings.now()
        most: float = min(_MOST_BACKOFF_SECONDS, _FIRST_BACKOFF_SECONDS * 2 ** (self._attempts - 1))
        delay = _retry_after(response, now) + self._surroundings.random() * most
        if self._attempts >= self._limits.attempts or now + delay >= self._end:
            self._finish(outcome)
            return None
        return delay

    def _finish(self, outcome: httpx.Response | httpx.RequestError) -> None:
        if not isinstance(outcome, httpx.Response):
            place = f"{self._request.url.scheme}://{self._request.url.netloc.decode()}"
            message = f"no response from {place} in {self._attempts} attempts"
            raise PartnerConnectionError(message, self._key) from outcome
        if not outcome.is_success:
            raise error_of(outcome, self._key)


class RetryTransport(httpx.BaseTransport):
    """
    Repeats a request after 429, 502, 503, 504, 409 `idempotency_in_progress` and connection failures, with exponential backoff
    and full jitter, at least as long as `retry-after` says. Each attempt sends the same bytes and headers, so an idempotency key
    stays.
    """

    def __init__(self, inner: httpx.BaseTransport, limits: RetryLimits, surroundings: Surroundings) -> None:
        self._inner, self._limits, self._surroundings = inner, limits, surroundings

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        call = _Call(request, self._limits, self._surroundings)
        while True:
            call.begin_attempt()
            outcome = self._send(request, call)
            delay = call.delay_after(outcome)
            if delay is not None:
                self._surroundings.sleep(delay)
            elif isinstance(outcome, httpx.Response):
                return outcome

    def _send(self, request: httpx.Request, call: _Call) -> httpx.Response | httpx.RequestError:
        """Reads the whole body, so that a connection that breaks within it is a failed attempt."""
        try:
            response = self._inner.handle_request(request)
            try:
                assert isinstance(response.stream, httpx.SyncByteStream)
                content = bytearray()
                for part in response.stream:
                    content += part
                    call.check_time()
                return _complete(response, bytes(content))
            finally:
                response.close()
        except (httpx.TransportError, httpx.DecodingError) as failure:
            return failure

    def close(self) -> None:
        self._inner.close()


class AsyncRetryTransport(httpx.AsyncBaseTransport):
    """RetryTransport for an asynchronous client."""

    def __init__(self, inner: httpx.AsyncBaseTransport, limits: RetryLimits, surroundings: Surroundings) -> None:
        self._inner, self._limits, self._surroundings = inner, limits, surroundings

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        call = _Call(request, self._limits, self._surroundings)
        while True:
            call.begin_attempt()
            outcome = await self._send(request, call)
            delay = call.delay_after(outcome)
            if delay is not None:
                await self._surroundings.sleep_async(delay)
            elif isinstance(outcome, httpx.Response):
                return outcome

    async def _send(self, request: httpx.Request, call: _Call) -> httpx.Response | httpx.RequestError:
        try:
            response = await self._inner.handle_async_request(request)
            try:
                assert isinstance(response.stream, httpx.AsyncByteStream)
                content = bytearray()
                async for part in response.stream:
                    content += part
                    call.check_time()
                return _complete(response, bytes(content))
            finally:
                await response.aclose()
        except (httpx.TransportError, httpx.DecodingError) as failure:
            return failure

    async def aclose(self) -> None:
        await self._inner.aclose()


def _complete(response: httpx.Response, content: bytes) -> httpx.Response:
    """The same response with its body, which is still encoded as `content-encoding` says."""
    return httpx.Response(response.status_code, headers=response.headers, content=content, extensions=response.extensions)


def _is_retried(response: httpx.Response) -> bool:
    """A 409 for a key in flight is no refusal: an earlier attempt with this key can still succeed."""
    if response.status_code != 409:
        return response.status_code in _RETRIED
    return error_of(response, None).code == "idempotency_in_progress"


def _retry_after(response: httpx.Response | None, now: float) -> float:
    """Reads seconds or an HTTP date; 0 for anything else."""
    value: str = "" if response is None else response.headers.get("retry-after", "")
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, TypeError, IndexError, OverflowError, OSError):
        return 0.0
