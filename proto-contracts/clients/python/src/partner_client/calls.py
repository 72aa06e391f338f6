"""Calls whose results are dictionaries with types."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar, cast
from urllib.parse import quote

import httpx

from .errors import unexpected_success
from .gen.client import AuthenticatedClient

Result = TypeVar("Result")


@dataclass(frozen=True)
class Call(Generic[Result]):
    """A call that is sent by `sync` or `asyncio`. They return its result, and raise a PartnerError if it fails."""

    method: str
    path: str
    ids: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, object] = field(default_factory=dict)
    body: object = None

    def sync(self, *, client: AuthenticatedClient) -> Result:
        return self._result(client.get_httpx_client().request(**self._request()))

    async def asyncio(self, *, client: AuthenticatedClient) -> Result:
        return self._result(await client.get_async_httpx_client().request(**self._request()))

    def _request(self) -> dict[str, Any]:
        url = self.path.format(**{name: quote(value, safe="") for name, value in self.ids.items()})
        params = {name: _text(value) for name, value in self.query.items() if value is not None}
        return {"method": self.method, "url": url, "params": params, "json": self.body}

    def _result(self, response: httpx.Response) -> Result:
        try:
            result = response.json()
        except (RecursionError, ValueError) as failure:
            raise unexpected_success(response) from failure
        if not isinstance(result, dict):
            raise unexpected_success(response)
        return cast(Result, result)


def _text(value: object) -> str:
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else str(value)
