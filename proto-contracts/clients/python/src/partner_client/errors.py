"""Errors of calls. Every one is a PartnerError."""

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

    def __init__(self, message: str, idempotency_key: str | None) -> None:
        super().__init__(message)
        self.idempotency_key = idempotency_key
        """The key of a write. Send the same request with it to learn or to complete the outcome."""


class PartnerConnectionError(PartnerError):
    """No complete response arrived within the limits of the retries. The outcome of a write is unknown."""


class ApiError(PartnerError):
    """The service refused a request, or was unavailable until the retries ended."""

    def __init__(self, response: httpx.Response, body: dict[str, Any], idempotency_key: str | None) -> None:
        self.status = response.status_code
        self.code = str(body.get("code", "unknown"))
        """Stable and machine-readable. New codes can come without a new version."""
        self.request_id: str | None = body.get("requestId") or response.headers.get("x-request-id")
        """Support finds the request by it."""
        self.violations = tuple(Violation(each["path"], each["message"]) for each in body.get("details", []))
        """With status 400: every violation."""
        self.body = body
        """Empty for a response that did not come from the service, such as one of a proxy."""
        message = body.get("error") or response.reason_phrase
        super().__init__(f"{self.status} {self.code}: {message}", idempotency_key)


class VersionConflictError(ApiError):
    """`expected_version` is not the current version. Read the resource, decide again, and send a new write."""

    def __init__(self, response: httpx.Response, body: dict[str, Any], idempotency_key: str | None) -> None:
        super().__init__(response, body, idempotency_key)
        self.current_version = int(body["currentVersion"])


def error_of(response: httpx.Response, idempotency_key: str | None) -> ApiError:
    """Returns the error for a response that is no success, whose body has been read."""
    body = _error_body(response.content)
    is_conflict = body.get("code") == "stale_version" and "currentVersion" in body
    return (VersionConflictError if is_conflict else ApiError)(response, body, idempotency_key)


def unexpected_success(response: httpx.Response) -> PartnerError:
    """Returns the error for a success that is not as the API description says."""
    message = f"the response of {response.request.url.path} ({response.status_code}) is not as the API description says"
    return PartnerError(message, response.request.headers.get("idempotency-key"))


def _error_body(content: bytes) -> dict[str, Any]:
    try:
        body = json.loads(content)
    except ValueError:
        return {}
    return body if isinstance(body, dict) and "error" in body and "code" in body else {}
