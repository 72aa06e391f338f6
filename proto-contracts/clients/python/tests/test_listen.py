"""The listener, which forwards events of the feed as webhooks. The rule is CLIENT-18."""

import base64
import http.server
import json
import os
import socket
import threading
import unittest
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta
from io import StringIO
from unittest import mock
from urllib.parse import SplitResult, urlsplit

import httpx

from partner_client import MemoryStore, PartnerError, RetryLimits, WebhookReceiver, create_partner_client
from partner_client.gen.models import FeedEvent
from partner_client.listen import end_of_events, forward_event, listen, main

SECRET = "whsec_" + base64.b64encode(bytes([7] * 32)).decode()
OTHER = "whsec_" + base64.b64encode(bytes([8] * 32)).decode()
START = datetime(2026, 8, 26, 14, tzinfo=UTC)


def feed_event(minute: int) -> dict[str, object]:
    """An event that occurred some minutes after the start."""
    names = ("x-svc-timestamp", "x-svc-signature", "webhook-timestamp", "webhook-signature")
    headers = {**dict.fromkeys(names, ""), "x-svc-event": "install.status_changed", "webhook-id": f"evt_{minute}"}
    occurred_at = (START + timedelta(minutes=minute)).isoformat().replace("+00:00", ".000Z")
    resource = {"type": "install_job", "id": "job_1", "version": 1}
    envelope = {"id": f"evt_{minute}", "event": "install.status_changed", "occurredAt": occurred_at, "resource": resource}
    return {
        "sequence": minute,
        "headers": headers,
        "body": json.dumps({**envelope, "data": {"note": "café ☕"}}, ensure_ascii=False),
    }


class App:
    """A server of a developer on this machine."""

    def __init__(self, test: unittest.TestCase, respond: Callable[[dict[str, str], bytes], tuple[int, str] | None]) -> None:
        self.requests: list[tuple[str, dict[str, str]]] = []
        app = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                app.requests.append((self.path, headers))
                responded = respond(headers, body)
                if responded is None:
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                self.send_response(responded[0])
                self.send_header("location", "http://127.0.0.1:1/")
                self.end_headers()
                self.wfile.write(responded[1].encode())

            def log_message(self, *_: object) -> None: ...

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        test.addCleanup(self.server.server_close)
        test.addCleanup(self.server.shutdown)

    @property
    def target(self) -> SplitResult:
        return urlsplit(f"http://127.0.0.1:{self.server.server_port}/hook?a=b")


class Stop(Exception):
    """Ends a listener."""


class Listen(unittest.TestCase):
    def setUp(self) -> None:
        self.events = [feed_event(minute) for minute in (1, 2, 3)]
        self.refusals: list[int] = []
        self.queries: list[str] = []
        self.lines: list[str] = []
        transport = httpx.MockTransport(self.respond)
        self.client = create_partner_client("https://a.example", "key_a.b", transport=transport, retries=RetryLimits(attempts=1))

    def respond(self, request: httpx.Request) -> httpx.Response:
        """Two events in a page; a cursor is the number of events before it."""
        self.queries.append(f"{request.url.path}?{request.url.query.decode()}")
        if request.url.path == "/partner/v1/events" and self.refusals and (status := self.refusals.pop(0)) != 200:
            return httpx.Response(status, json={"error": "no", "code": "x", "requestId": "r"})
        is_end = request.url.params.get("from") == "end"
        start = len(self.events) if is_end else int(request.url.params.get("cursor", 0))
        end = start if is_end else min(len(self.events), start + 2)
        page = {"apiVersion": "v", "nextCursor": str(end), "hasMore": end < len(self.events)}
        return httpx.Response(200, json={**page, "events": self.events[start:end]})

    def listen(self, target: SplitResult, lines: int = 9, **options: object) -> bool | None:
        """Listens until this many lines were printed, or to the end of a replay."""

        def pause() -> None:
            if len(self.lines) >= lines:
                raise Stop

        end = end_of_events(self.client)
        if options.pop("grows", False):
            self.events += [feed_event(4), feed_event(5)]
        try:
            return listen(self.client, end, target, SECRET, emit=self.lines.append, pause=pause, **options)  # type: ignore[arg-type]
        except Stop:
            return None

    def test_sends_new_events_as_webhooks_that_a_receiver_verifies(self) -> None:
        handled: list[str] = []
        receiver = WebhookReceiver([SECRET], MemoryStore(), lambda event, about: handled.append(f"{event['id']} {about.number}"))

        def respond(headers: dict[str, str], body: bytes) -> tuple[int, str]:
            response = receiver.receive(headers, body)
            return response.status, response.error or ""

        app = App(self, respond)
        self.listen(app.target, 2, event="install.*", grows=True)
        assert handled == ["evt_4 4", "evt_5 5"]
        assert "install.status_changed evt_4 -> 204 (" in self.lines[0] and "evt_5 -> 204" in self.lines[1]
        start, follows = "/partner/v1/events?from=end&limit=50", "/partner/v1/events?cursor=3&limit=100&event=install.%2A"
        assert self.queries[:2] == [start, follows]
        path, headers = app.requests[0]
        assert path == "/hook?a=b"
        assert set(headers) == {
            *("host", "accept-encoding", "content-length", "content-type", "user-agent", "x-svc-event", "x-svc-subscription-id"),
            *("x-svc-number", "x-svc-delivery-id", "x-svc-timestamp", "x-svc-secret-version", "x-svc-signature"),
            *("webhook-id", "webhook-timestamp", "webhook-signature"),
        }
        self.assertRegex(headers["x-svc-delivery-id"], "^dlv_[0-9a-z]{26}$")

    def test_says_why_an_event_failed_and_goes_on(self) -> None:
        receiver = WebhookReceiver([OTHER], MemoryStore(), print)
        event = FeedEvent.from_dict(self.events[0])

        def refused(headers: dict[str, str], body: bytes) -> tuple[int, str]:
            response = receiver.receive(headers, body)
            return response.status, response.error or ""

        for respond, outcome in (
            (refused, "401: the signature matches none of the secrets"),
            (lambda *_: (500, "no\x1b[2J\ndatabase"), "500: no [2J database"),
            (lambda *_: (307, ""), "307: redirects are not followed"),
            (lambda *_: None, "the connection was closed without a response"),
        ):
            assert forward_event(App(self, respond).target, event, SECRET).outcome == outcome
        silent = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(silent.close)
        target = urlsplit(f"http://127.0.0.1:{silent.getsockname()[1]}/")
        assert forward_event(target, event, SECRET, 0.05).outcome == "no complete response within 0.05 s"
        silent.close()
        self.listen(target, 2, since=START + timedelta(minutes=2))
        assert f"evt_2 -> connection refused: no server listens at {target.netloc}" in self.lines[0]
        assert "evt_3 -> connection refused" in self.lines[1]

    def test_replays_the_events_with_its_ids_once_and_ends(self) -> None:
        target = App(self, lambda *_: (204, "")).target
        assert self.listen(target, replay=["evt_3", "evt_1"]) is True
        assert [line.split(" ")[2] for line in self.lines] == ["evt_1", "evt_3"]
        assert self.listen(target, replay=["evt_9"]) is False
        assert self.lines[2:] == ["evt_9: no such event among those that are kept"]

    def test_goes_on_after_failures_that_pass_and_ends_with_a_refusal(self) -> None:
        target = App(self, lambda *_: (204, "")).target
        self.refusals = [200, 503]
        self.listen(target, 2, since=START + timedelta(minutes=3))
        assert "waiting for the service: 503 x: no" in self.lines[0] and "evt_3 -> 204" in self.lines[1]
        self.refusals = [200, 403]
        with self.assertRaisesRegex(PartnerError, "403 x: no"):
            self.listen(target)

    def test_finds_the_events_of_its_key_and_waits_for_its_turn(self) -> None:
        self.refusals = [429, 200, 401]
        ends = [end_of_events(self.client, emit=self.lines.append, pause=lambda: None) for _ in range(2)]
        assert len(self.lines) == 1 and "waiting for the service: 429" in self.lines[0]
        assert ends == [("installer", "3"), ("inbound", "3")]

    def test_takes_the_key_from_the_environment_or_a_file_and_forwards_to_this_machine_only(self) -> None:
        def run(*args: str, **env: str) -> str:
            stderr = StringIO()
            with mock.patch.dict(os.environ, env, clear=True), redirect_stderr(stderr), redirect_stdout(StringIO()):
                try:
                    return f"{main(args)} {stderr.getvalue()}"
                except SystemExit as ended:
                    return f"{ended.code} {stderr.getvalue()}"

        to, at, key = ("listen", "--forward", "http://localhost:3000/hook"), ("--url", "http://127.0.0.1:1"), "key_a.b"
        assert run("--help").startswith("0")
        assert "set PARTNER_API_KEY or --api-key-file" in run(*to, *at)
        assert "unrecognized arguments: --api-key=" in run(*to, *at, "--api-key=key_a.b")
        assert "set PARTNER_URL or --url" in run(*to, PARTNER_API_KEY=key)
        remote = run("listen", *at, "--forward", "http://10.0.0.1/", PARTNER_API_KEY=key)
        assert "must be on this machine, not 10.0.0.1" in remote and remote.startswith("2")
        for bad in ("http://localhost:99999/", "http://localhost:x/", "http://[::1/", "localhost:3000", "ftp://localhost/"):
            refused = run("listen", *at, "--forward", bad, PARTNER_API_KEY=key)
            assert "--forward must be a URL such as" in refused and refused.startswith("2"), refused
        assert "--since must be a span such as 30m" in run(*to, *at, "--since", "soon", PARTNER_API_KEY=key)
        assert "the secret has white space" in run(*to, *at, "--secret", "whsec_a b", PARTNER_API_KEY=key)
