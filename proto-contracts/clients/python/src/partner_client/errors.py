"""Errors of calls. All of them are subclasses of PartnerError."""

import json
from dataclasses import dataclass
from typing import Any

import httpx


@dataclass(frozen=True)
class Violation:
    """One violation in a request: the field, and the rule or a valid value."""

    path: str
    message: str


class PartnerError(Exception):
    """A call failed."""

    def __init__(self, message: str, idempotency_key: str | None, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable
        """
        True: another try can succeed, or its outcome is unknown. Keep the request and repeat it later, a write with its key.
        False: the same request fails again.
        """
        self.idempotency_key = idempotency_key
        """The key of a write. Send the same request with it to learn or to complete the outcome."""


class PartnerConnectionError(PartnerError):
    """No complete response arrived within the limits of the retries. The outcome of a write is unknown."""

    def __init__(self, message: str, idempotency_key: str | None) -> None:
        super().__init__(message, idempotency_key, retryable=True)


# Refusals that pass with time: the request timed out, came too early, or exceeds a rate.
_PASSING = frozenset({408, 425, 429})
# Conflicts that end with the request or the replay that is in flight.
_IN_PROGRESS = frozenset({"idempotency_in_progress", "replay_in_progress"})


class ApiError(PartnerError):
    """The service refused a request, or was unavailable until the retries ended."""

    def __init__(self, response: httpx.Response, body: dict[str, Any], idempotency_key: str | None) -> None:
        self.status = response.status_code
        self.code = str(body.get("code", "unknown"))
        """Stable and machine-readable. New codes can come without a new version."""
        request_id = body.get("requestId") or response.headers.get("x-request-id")
        self.request_id: str | None = None if request_id is None else str(request_id)
        """Send it to support, who can find the request by it."""
        self.violations = _violations(body.get("details"))
        """With status 400: every violation."""
        self.body = body
        """Empty for a response that did not come from the service, such as one of a proxy."""
        message = _redirect(response) or body.get("error") or response.reason_phrase
        retryable = self.status >= 500 or self.status in _PASSING or self.code in _IN_PROGRESS
        super().__init__(f"{self.status} {self.code}: {message}", idempotency_key, retryable=retryable)


class VersionConflictError(ApiError):
    """`expected_version` is not the current version. Read the resource, decide again, and send a new write."""

    def __init__(self, response: httpx.Response, body: dict[str, Any], idempotency_key: str | None) -> None:
        super().__init__(response, body, idempotency_key)
        self.current_version: int = body["currentVersion"]


def error_of(response: httpx.Response, idempotency_key: str | None) -> ApiError:
    """Returns the error for a response that is no success, whose body has been read."""
    body = _error_body(response.content)
    is_conflict = body.get("code") == "stale_version" and isinstance(body.get("currentVersion"), int)
    return (VersionConflictError if is_conflict else ApiError)(response, body, idempotency_key)


def unexpected_success(response: httpx.Response) -> PartnerError:
    """Returns the error for a success that does not match the API description."""
    message = f"the response of {response.request.url.path} ({response.status_code}) does not match the API description"
    return PartnerError(message, response.request.headers.get("idempotency-key"), retryable=True)


def _redirect(response: httpx.Response) -> str | None:
    """Says where a redirect leads, by its origin alone: the rest of a location can hold a secret."""
    if not 300 <= response.status_code <= 399 or response.status_code == 304:
        return None
    place = _origin(response.headers.get("location"))
    return f"the server redirects to {place}, and redirects are not followed; check base_url"


def _origin(location: str | None) -> str:
    if location is None:
        return "an unknown location"
    try:
        # A backslash separates as a slash does, as in every browser.
        target = httpx.URL("http://same.invalid").join(location.replace("\\", "/"))
    except (httpx.InvalidURL, ValueError):
        return "an unknown location"
    if target.scheme not in ("http", "https") or not target.host:
        return "an unknown location"
    return "another path" if target.host == "same.invalid" else f"{target.scheme}://{target.netloc.decode()}"


def _violations(details: object) -> tuple[Violation, ...]:
    listed = [each for each in details if isinstance(each, dict)] if isinstance(details, list) else []
    return tuple(Violation(str(each.get("path", "")), str(each.get("message", ""))) for each in listed)


def _error_body(content: bytes) -> dict[str, Any]:
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) and "error" in body and "code" in body else {}
