"""
Forwards the events of a company to a server on this machine, as webhooks are sent: `python -m partner_client listen`.

It needs an API key, but no webhook and no address that the service can reach.
"""

import argparse
import base64
import hashlib
import hmac
import http.client
import json
import os
import random
import re
import secrets
import string
import sys
import time
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import SplitResult, quote, urlsplit

from .client import create_partner_client
from .errors import ApiError, PartnerError
from .feeds import EventPage, Surface
from .gen.api.inbound import list_inbound_events
from .gen.api.installer import list_installer_events
from .gen.client import AuthenticatedClient
from .gen.models import FeedEvent
from .loopback import is_loopback
from .retries import sleep
from .secret_text import require_visible

T = TypeVar("T")

_POLL_SECONDS = 5.0
# As a webhook has.
_TIMEOUT_SECONDS = 10.0
_MOST_REASON = 200
# A valid id that no webhook has.
_NO_SUBSCRIPTION = "whk_" + "0" * 26
_ID_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"
_OPERATIONS: dict[Surface, Any] = {"installer": list_installer_events, "inbound": list_inbound_events}
_PATHS: dict[Surface, str] = {"installer": "/partner/v1/events", "inbound": "/inbound/events"}


@dataclass(frozen=True)
class Forwarded:
    """What became of a forwarded event."""

    is_delivered: bool
    outcome: str
    """The status, or why it failed."""
    seconds: float


def webhook_headers(event: FeedEvent, secret: str, now: float) -> dict[str, str]:
    """The headers that the service sends with an event, signed with a secret. The number is that of the event's company."""
    timestamp, event_id, body = str(int(now)), event.headers.webhook_id, event.body.encode()
    own = hmac.new(secret.encode(), f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()
    key = base64.b64decode(secret.removeprefix("whsec_"))
    standard = hmac.new(key, f"{event_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return {
        "content-type": "application/json",
        "user-agent": "partner-integration-service-webhooks/1.0",
        "x-svc-event": event.headers.x_svc_event,
        "x-svc-subscription-id": _NO_SUBSCRIPTION,
        "x-svc-number": str(event.sequence),
        "x-svc-delivery-id": "dlv_" + "".join(secrets.choice(_ID_LETTERS) for _ in range(26)),
        "x-svc-timestamp": timestamp,
        "x-svc-secret-version": "1",
        "x-svc-signature": f"v1={own}",
        "webhook-id": event_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{base64.b64encode(standard).decode()}",
    }


def forward_event(target: SplitResult, event: FeedEvent, secret: str) -> Forwarded:
    """POSTs an event as the service does: once, without following redirects, for at most 10 s. Raises nothing."""
    start = time.monotonic()

    def done(is_delivered: bool, outcome: str) -> Forwarded:
        return Forwarded(is_delivered, outcome, time.monotonic() - start)

    try:
        status, text = _post(target, event.body.encode(), webhook_headers(event, secret, time.time()))
    except TimeoutError:
        return done(False, f"no complete response within {_TIMEOUT_SECONDS:g} s")
    except ConnectionRefusedError:
        return done(False, f"connection refused: no server listens at {target.netloc}")
    except (ConnectionResetError, BrokenPipeError, http.client.RemoteDisconnected):
        return done(False, "the connection was closed without a response")
    except (OSError, http.client.HTTPException) as error:
        return done(False, _readable(str(error)) or type(error).__name__)
    is_delivered = 200 <= status <= 299
    why = "redirects are not followed" if 300 <= status <= 399 else _readable(text)
    return done(is_delivered, str(status) if is_delivered or not why else f"{status}: {why}")


def _post(target: SplitResult, body: bytes, headers: dict[str, str]) -> tuple[int, str]:
    kind = http.client.HTTPSConnection if target.scheme == "https" else http.client.HTTPConnection
    end = time.monotonic() + _TIMEOUT_SECONDS
    connection = kind(target.hostname or "", target.port, timeout=_TIMEOUT_SECONDS)
    try:
        connection.request("POST", (target.path or "/") + (f"?{target.query}" if target.query else ""), body, headers)
        response = connection.getresponse()
        text = bytearray()
        while part := response.read1(65_536):
            text += part[: _MOST_REASON * 4]
            if time.monotonic() > end:
                raise TimeoutError
        return response.status, text[: _MOST_REASON * 4].decode(errors="replace")
    finally:
        connection.close()


def _readable(text: str) -> str:
    """One line without characters that a terminal interprets."""
    plain = "".join(" " if unicodedata.category(letter)[0] in "CZ" else letter for letter in text)
    return " ".join(plain.split())[:_MOST_REASON]


def _print(line: str) -> None:
    print(line, flush=True)


def _pause() -> None:
    """Listeners that have started together do not stay together."""
    sleep(_POLL_SECONDS * (1 + random.random() / 10))


def end_of_events(client: AuthenticatedClient) -> tuple[Surface, str]:
    """
    The present end of the events of the client's key: whether of an installing or a selling company, and the cursor. Waits while
    the service cannot be read, or other listeners take the requests.
    """

    def read() -> tuple[Surface, str]:
        try:
            return "installer", list_installer_events.sync(client=client, from_="end").next_cursor
        except ApiError as refusal:
            if refusal.status != 401:
                raise
        return "inbound", list_inbound_events.sync(client=client, from_="end").next_cursor

    while (end := _unless_it_passes(read)) is None:
        _pause()
    return end


def _unless_it_passes(read: Callable[[], T]) -> T | None:
    """None if the service cannot be read now, but may be later."""
    try:
        return read()
    except PartnerError as failure:
        if not failure.retryable:
            raise
        _print(f"waiting for the service: {failure}")
        return None


def listen(
    client: AuthenticatedClient,
    end: tuple[Surface, str],
    target: SplitResult,
    secret: str,
    *,
    event: str | None = None,
    since: datetime | None = None,
    replay: Sequence[str] = (),
) -> bool:
    """
    Reads the events of a company and POSTs each to a server as a webhook is sent, once and in order, without end; with `replay`,
    until the events with these ids have been sent. Prints a line for each. Returns whether every one was found and accepted. A
    failure of the service that can pass is a line, and the listener goes on.

    end: where it begins, unless `since` or `replay` is there.
    """
    wanted, is_fine = set(replay), True
    surface, cursor = end
    position: dict[str, str] = {} if replay or since is not None else {"cursor": cursor}
    selected = {} if event is None else {"event": event}
    while True:
        read = partial(_OPERATIONS[surface].sync, client=client, limit=100, **selected, **position)
        page: EventPage | None = _unless_it_passes(read)
        if page is None:
            _pause()
            continue
        for each in page.events:
            event_id = each.headers.webhook_id
            if (event_id not in wanted) if replay else _is_before(each.body, since):
                continue
            wanted.discard(event_id)
            sent = forward_event(target, each, secret)
            is_fine = is_fine and sent.is_delivered
            when = datetime.now(UTC).isoformat(timespec="milliseconds")
            _print(f"{when} {each.headers.x_svc_event} {event_id} -> {sent.outcome} ({sent.seconds * 1_000:.0f} ms)")
        position = {"cursor": page.next_cursor}
        if replay and (not wanted or not page.has_more):
            for event_id in wanted:
                _print(f"{event_id}: no such event among those that are kept")
            return is_fine and not wanted
        if not page.has_more:
            _pause()


def _is_before(body: str, since: datetime | None) -> bool:
    return since is not None and datetime.fromisoformat(json.loads(body)["occurredAt"]) < since


class _UsageError(Exception):
    pass


def main(arguments: Sequence[str] | None = None) -> int:
    """The command `partner-client`. Returns its exit code."""
    try:
        return _run(_parser().parse_args(arguments))
    except KeyboardInterrupt:
        return 0
    except _UsageError as error:
        print(f"partner-client: {error}", file=sys.stderr)
        return 2
    except (PartnerError, ValueError, OSError) as error:
        print(f"partner-client: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="partner-client")
    command = parser.add_subparsers(required=True).add_parser(
        "listen",
        allow_abbrev=False,
        help="send each new event of your company to a server on this machine, as a webhook is sent",
        description="Sends each new event of your company to a server on this machine, as a webhook is sent. The API key is read "
        "from PARTNER_API_KEY.",
    )
    command.add_argument("--forward", required=True, metavar="URL", help="where each event is sent, http://localhost:3000/hook")
    command.add_argument("--url", metavar="URL", help="address of the service (default: PARTNER_URL)")
    command.add_argument("--api-key-file", metavar="FILE", help="file with the API key, instead of PARTNER_API_KEY")
    given = command.add_mutually_exclusive_group()
    given.add_argument("--secret", help="sign with this secret, whsec_… (default: a new one, which is printed)")
    given.add_argument("--secret-file", metavar="FILE", help="the same, from a file")
    command.add_argument("--event", metavar="NAME", help="only this event, or a group such as 'install.*'")
    command.add_argument("--since", metavar="TIME", help="begin with events since then: 30m, 12h, 7d, or 2026-11-26T12:00:00Z")
    again = "send this event again, then exit; can be repeated"
    command.add_argument("--replay", metavar="ID", action="append", default=[], help=again)
    command.add_argument("--allow-remote", action="store_true", help="forward to a server on another machine too")
    return parser


def _run(options: argparse.Namespace) -> int:
    target = _target(options.forward, options.allow_remote)
    url = options.url or os.environ.get("PARTNER_URL", "")
    if not re.match("https?://.", url):
        raise _UsageError("set PARTNER_URL or --url to the address of the service")
    key = Path(options.api_key_file).read_text().strip() if options.api_key_file else os.environ.get("PARTNER_API_KEY")
    if key is None:
        raise _UsageError("set PARTNER_API_KEY or --api-key-file")
    secret = _secret(options.secret, options.secret_file)
    since = None if options.since is None else _instant(options.since)
    client = create_partner_client(url, key)
    # Counts the requests among those of listeners, which together have a third of the company's.
    client.get_httpx_client().headers["x-svc-listen"] = "true"

    end = end_of_events(client)
    _print(f"forwarding the events of {url.rstrip('/')}{_PATHS[end[0]]} to {target.geturl()}")
    _print(f"signing secret: {secret}")
    choice = {"event": options.event, "since": since, "replay": options.replay}
    return 0 if listen(client, end, target, secret, **choice) else 1


def _target(text: str, allows_remote: bool) -> SplitResult:
    try:
        # As it is sent: letters of other alphabets are percent-encoded.
        target = urlsplit(quote(text.strip(), safe=string.punctuation))
        is_url = target.scheme in ("http", "https") and target.port != 0
    except ValueError:
        is_url = False
    if not is_url or not target.hostname:
        raise _UsageError("--forward must be a URL such as http://localhost:3000/hook")
    if not allows_remote and not is_loopback(target.hostname):
        raise _UsageError(f"--forward must be on this machine, not {target.hostname}; --allow-remote permits others")
    return target


def _secret(text: str | None, file: str | None) -> str:
    secret = Path(file).read_text().strip() if file else text
    if secret is None:
        return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
    require_visible("the secret", secret)
    if not re.fullmatch("whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?", secret) or len(secret) < 10:
        raise _UsageError("the secret must be whsec_ followed by base64, as the console shows it")
    return secret


def _instant(text: str) -> datetime:
    span = re.fullmatch("([0-9]{1,6})([smhd])", text)
    if span:
        unit = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}[span[2]]
        return datetime.now(UTC) - timedelta(**{unit: int(span[1])})
    try:
        time_ = datetime.fromisoformat(text)
    except ValueError:
        raise _UsageError("--since must be a span such as 30m, or a time such as 2026-11-26T12:00:00Z") from None
    return time_.astimezone(UTC)
