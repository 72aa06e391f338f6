"""Calls against a scripted transport: keys, retries, errors. The rules are CLIENT-1 to CLIENT-3."""

import asyncio
import gzip
import json
import unittest
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any
from unittest import mock

import httpx

from partner_client import (
    ApiError,
    PartnerConnectionError,
    PartnerError,
    RetryLimits,
    VersionConflictError,
    Violation,
    create_partner_client,
)
from partner_client.gen.api.inbound import create_lead, list_contractor_jobs
from partner_client.gen.api.installer import record_status_event
from partner_client.gen.models import JobDocument, JobSchedule, LeadCreated, LeadIn, StatusEventIn
from partner_client.gen.version import API_VERSION
from partner_client.retries import Surroundings, sleep

LEAD = LeadIn(full_name="Ada Quill", email="ada@example.com", phone="+1 512 555 0100", address="12 Elm St")
START = datetime(2026, 8, 26, 14, tzinfo=UTC).timestamp()

Respond = Callable[[], httpx.Response]


def response(status: int, body: object, **headers: str) -> Respond:
    return lambda: httpx.Response(status, json=body, headers={name.replace("_", "-"): value for name, value in headers.items()})


def refusal(status: int, code: str = "x", **others: object) -> Respond:
    return response(status, {"error": "no", "code": code, "requestId": "r-1", **others})


CREATED = response(201, {"status": "created", "leadId": "lead_1", "projectId": "prj_1"})
JOBS = response(200, {"jobs": [], "hasMore": False})


def broken() -> httpx.Response:
    raise httpx.ConnectError("refused")


class BrokenBody(httpx.SyncByteStream, httpx.AsyncByteStream):
    def __iter__(self) -> Iterator[bytes]:
        yield b'{"status":'
        raise httpx.ReadError("broken")

    async def __aiter__(self) -> Any:
        yield b'{"status":'
        raise httpx.ReadError("broken")


def broken_in_body() -> httpx.Response:
    return httpx.Response(201, stream=BrokenBody())


class SlowBody(httpx.SyncByteStream, httpx.AsyncByteStream):
    """Each part arrives in time, all of them together do not."""

    def __init__(self, service: "Service") -> None:
        self._service = service

    def __iter__(self) -> Iterator[bytes]:
        for _ in range(100):
            self._service.time += 10
            yield b" "

    async def __aiter__(self) -> Any:
        for part in self:
            yield part


class Service:
    """A scripted service, and a client of it whose delays take no time and whose jitter is its upper bound."""

    def __init__(self, *script: Respond, retries: RetryLimits | None = None) -> None:
        self.script = list(script)
        self.requests: list[httpx.Request] = []
        self.waits: list[float] = []
        self.time = START
        transport = httpx.MockTransport(self._respond)
        around = Surroundings(now=lambda: self.time, random=lambda: 1.0, sleep=self._sleep, sleep_async=self._sleep_async)
        self.client = create_partner_client(
            "https://api.partner.example",
            "key_a.secret",
            retries=retries,
            transport=transport,
            async_transport=transport,
            surroundings=around,
        )

    def _respond(self, request: httpx.Request) -> httpx.Response:
        copied = httpx.Request(request.method, request.url, headers=request.headers, content=request.content)
        copied.extensions = dict(request.extensions)
        self.requests.append(copied)
        return self.script.pop(0)() if self.script else CREATED()

    def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds

    async def _sleep_async(self, seconds: float) -> None:
        self._sleep(seconds)

    @property
    def keys(self) -> list[str | None]:
        return [request.headers.get("idempotency-key") for request in self.requests]


def create_sync(service: Service, **options: Any) -> object:
    return create_lead.sync(client=service.client, body=LEAD, **options)


def create_async(service: Service, **options: Any) -> object:
    return asyncio.run(create_lead.asyncio(client=service.client, body=LEAD, **options))


class Calls:
    """The rules for one kind of call."""

    @staticmethod
    def create(service: Service, **options: Any) -> object:
        raise NotImplementedError

    def failure_of(self, service: Service) -> PartnerError:
        try:
            self.create(service)
        except PartnerError as error:
            return error
        raise AssertionError("the call did not fail")

    def test_resolves_to_the_body_and_pins_the_version(self) -> None:
        service = Service()
        created = self.create(service)
        assert isinstance(created, LeadCreated) and created.lead_id == "lead_1"
        headers = service.requests[0].headers
        assert (headers["x-api-key"], headers["x-svc-api-version"]) == ("key_a.secret", API_VERSION)

    def test_one_key_and_one_body_in_all_attempts(self) -> None:
        service = Service(refusal(503), broken, broken_in_body)
        self.create(service)
        self.create(service)
        assert {json.dumps(json.loads(request.content)) for request in service.requests} == {json.dumps(LEAD.to_dict())}
        first, *others = service.keys
        assert first and [key == first for key in others] == [True, True, True, False]

    def test_keeps_the_key_of_its_caller(self) -> None:
        service = Service()
        self.create(service, idempotency_key="mine")
        assert service.keys == ["mine"]

    def test_retries_only_what_may_pass(self) -> None:
        for status in (429, 502, 503, 504):
            service = Service(refusal(status))
            self.create(service)
            assert len(service.requests) == 2, status
        for status in (400, 401, 403, 404, 409, 413, 422, 500, 501):
            service = Service(refusal(status))
            error = self.failure_of(service)
            assert isinstance(error, ApiError) and error.status == status
            assert len(service.requests) == 1, status

    def test_retries_while_an_attempt_with_the_key_is_in_flight(self) -> None:
        service = Service(broken, refusal(409, "idempotency_in_progress"))
        self.create(service)
        assert len(service.requests) == 3 and len(set(service.keys)) == 1

    def test_backs_off_with_full_jitter_for_five_attempts(self) -> None:
        service = Service(*[refusal(503)] * 9)
        self.failure_of(service)
        assert (len(service.requests), service.waits) == (5, [0.5, 1.0, 2.0, 4.0])

    def test_waits_for_retry_after(self) -> None:
        late, past = "Wed, 26 Aug 2026 14:00:09 GMT", "Wed, 26 Aug 2026 13:00:00 GMT"
        for value, wait in (("7", 7.5), (late, 9.5), (past, 0.5), ("soon", 0.5)):
            service = Service(response(429, {"error": "later", "code": "rate_limited"}, retry_after=value))
            self.create(service)
            assert service.waits == [wait], value

    def test_limits_the_time_of_a_body(self) -> None:
        service = Service()
        service.script = [lambda: httpx.Response(201, stream=SlowBody(service))] * 9
        assert isinstance(self.failure_of(service), PartnerConnectionError)
        assert service.time - START < 120 + 20

    def test_reads_a_compressed_body(self) -> None:
        content = gzip.compress(json.dumps({"status": "created", "leadId": "lead_1", "projectId": "prj_1"}).encode())
        service = Service(lambda: httpx.Response(201, content=content, headers={"content-encoding": "gzip"}))
        created = self.create(service)
        assert isinstance(created, LeadCreated) and created.lead_id == "lead_1"

    def test_ends_at_once_if_retry_after_exceeds_the_total_time(self) -> None:
        service = Service(response(429, {"error": "later", "code": "rate_limited"}, retry_after="120"))
        error = self.failure_of(service)
        assert isinstance(error, ApiError) and error.code == "rate_limited"
        assert (service.waits, len(service.requests)) == ([], 1)

    def test_a_refusal_has_status_code_request_id_and_violations(self) -> None:
        details = [{"path": "email", "message": "must be an email address"}]
        error = self.failure_of(Service(refusal(400, "invalid_argument", details=details)))
        assert isinstance(error, ApiError)
        assert (error.status, error.code, error.request_id) == (400, "invalid_argument", "r-1")
        assert error.violations == (Violation("email", "must be an email address"),)
        assert str(error) == "400 invalid_argument: no"

    def test_a_response_of_a_proxy_has_the_code_unknown(self) -> None:
        error = self.failure_of(Service(lambda: httpx.Response(404, text="<html>", headers={"x-request-id": "r-4"})))
        assert isinstance(error, ApiError)
        assert (error.status, error.code, error.request_id, error.body) == (404, "unknown", "r-4", {})

    def test_a_redirect_is_not_followed_and_names_its_origin_alone(self) -> None:
        for status in (300, 301, 302, 303, 305, 307, 308, 399):
            for location, place in (
                ("https://other.example:8443/secret-path", "https://other.example:8443"),
                ("/secret-path", "another path"),
                ("?to=//other.example", "another path"),
                ("//other.example:8443/secret-path", "http://other.example:8443"),
                *((each, "http://other.example") for each in ("http:\\\\other.example", "/\\other.example/x")),
                ("mailto:a@other.example", "an unknown place"),
                ("http://a:b", "an unknown place"),
                (None, "an unknown place"),
            ):
                headers = {} if location is None else {"location": location}
                service = Service(partial(httpx.Response, status, headers=headers))
                error = self.failure_of(service)
                assert isinstance(error, ApiError) and (error.status, error.retryable) == (status, False)
                assert f"redirects to {place}, and" in str(error), str(error)
                assert len(service.requests) == 1

    def test_an_error_says_whether_another_try_can_succeed(self) -> None:
        for status, code, retryable in (
            *((status, "x", True) for status in (408, 425, 429, 500, 502, 503, 504)),
            *((status, "x", False) for status in (400, 401, 403, 404, 413, 422)),
            *((409, code, True) for code in ("idempotency_in_progress", "replay_in_progress")),
            *((409, code, False) for code in ("idempotency_mismatch", "stale_version")),
        ):
            error = self.failure_of(Service(*[refusal(status, code, currentVersion=5)] * 5))
            assert isinstance(error, ApiError) and (error.status, error.retryable) == (status, retryable), status

    def test_a_wait_longer_than_a_timer_holds_stays_a_wait(self) -> None:
        days = 30 * 86_400
        limits = RetryLimits(total_seconds=1e18, attempt_seconds=1e18)
        service = Service(response(429, {"error": "later", "code": "rate_limited"}, retry_after=str(days)), retries=limits)
        self.create(service)
        assert service.waits == [days + 0.5]
        assert max(service.requests[0].extensions["timeout"].values()) < 2**31 / 1_000
        slept: list[float] = []
        with mock.patch("partner_client.retries.time.sleep", slept.append):
            sleep(days)
        assert max(slept) < 2**31 / 1_000 and sum(slept) == days

    def test_a_refusal_of_any_form_is_an_error_of_a_call(self) -> None:
        for text in (
            *('{"error":1,"code":[],"requestId":{},"details":[1,{}]}', '{"error":"","code":"","details":7}', "[" * 100_000),
            '{"error":"","code":"stale_version","currentVersion":"5"}',
        ):
            error = self.failure_of(Service(partial(httpx.Response, 409, text=text)))
            assert isinstance(error, ApiError) and error.status == 409, text
        deep = Service(lambda: httpx.Response(201, text="[" * 100_000))
        assert self.failure_of(deep).retryable

    def test_a_response_that_is_none_of_the_api_has_the_key(self) -> None:
        def broken_encoding() -> httpx.Response:
            return httpx.Response(201, stream=httpx.ByteStream(b"not gzip"), headers={"content-encoding": "gzip"})

        for script, kind in (
            ([lambda: httpx.Response(302, headers={"location": "/login"})], ApiError),
            ([lambda: httpx.Response(201, text="<html>")], PartnerError),
            ([response(201, {})], PartnerError),
            ([response(202, {})], PartnerError),
            ([broken_encoding] * 5, PartnerConnectionError),
        ):
            service = Service(*script)
            error = self.failure_of(service)
            assert isinstance(error, kind) and error.idempotency_key == service.keys[0], kind

    def test_an_error_without_a_response_has_the_key_and_the_cause(self) -> None:
        service = Service(*[broken] * 5)
        error = self.failure_of(service)
        assert isinstance(error, PartnerConnectionError)
        assert error.idempotency_key == service.keys[0] and isinstance(error.__cause__, httpx.ConnectError)


class SyncCalls(Calls, unittest.TestCase):
    create = staticmethod(create_sync)

    def test_a_stale_version_is_typed(self) -> None:
        service = Service(refusal(409, "stale_version", currentVersion=5))
        body = StatusEventIn(status="EN_ROUTE", occurred_at=datetime.now(UTC), expected_version=3)
        with self.assertRaises(VersionConflictError) as raised:
            record_status_event.sync("job_1", client=service.client, body=body)
        assert raised.exception.current_version == 5
        assert raised.exception.idempotency_key == service.keys[0]

    def test_accepts_an_enum_value_that_it_does_not_know(self) -> None:
        schedule = {"status": "PROPOSED", "startsAt": None, "endsAt": None, "timeZone": None}
        assert JobSchedule.from_dict(schedule).to_dict() == schedule
        document = {"id": "doc_1", "category": "INVOICE", "mime": "application/pdf", "availableAt": "2026-08-26T14:00:00.000Z"}
        assert JobDocument.from_dict(document).category == "INVOICE"

    def test_a_read_has_no_key(self) -> None:
        service = Service(JOBS)
        list_contractor_jobs.sync(client=service.client)
        assert service.keys == [None]


class AsyncCalls(Calls, unittest.TestCase):
    create = staticmethod(create_async)
