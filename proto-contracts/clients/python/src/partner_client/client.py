"""The client that every operation of `partner_client.gen.api` takes."""

import httpx

from .errors import PartnerError
from .gen.client import AuthenticatedClient
from .gen.version import API_VERSION
from .retries import AsyncRetryTransport, RetryLimits, RetryTransport, Surroundings
from .secret_text import require_visible
from .webhooks import Verifier, event_feed_secret


def create_partner_client(
    base_url: str,
    api_key: str,
    *,
    retries: RetryLimits | None = None,
    transport: httpx.BaseTransport | None = None,
    async_transport: httpx.AsyncBaseTransport | None = None,
    surroundings: Surroundings | None = None,
) -> AuthenticatedClient:
    """
    Creates a client for `sync` and `asyncio` of each operation, which pins the API version of its models. A write without an
    idempotency key gets one, which every retry repeats, so a write takes effect once however often it is sent. The client
    verifies the signature of manifests. Raises a ValueError for a key with white space.

    api_key: `<keyId>.<secret>`. transport: default that of httpx.
    """
    require_visible("api_key", api_key)
    limits, around = retries or RetryLimits(), surroundings or Surroundings()
    headers = {"x-api-key": api_key, "x-svc-api-version": API_VERSION}
    client = AuthenticatedClient(base_url=base_url, token=api_key, prefix="", auth_header_name="x-api-key")
    sync = RetryTransport(transport or httpx.HTTPTransport(), limits, around)
    asynchronous = AsyncRetryTransport(async_transport or httpx.AsyncHTTPTransport(), limits, around)
    verifier = Verifier([event_feed_secret(api_key)], 300, around.now)

    def verify(response: httpx.Response) -> None:
        if response.is_success and response.request.url.path.endswith("/manifest"):
            response.read()
            _refuse_forged(response, verifier)

    async def verify_async(response: httpx.Response) -> None:
        if response.is_success and response.request.url.path.endswith("/manifest"):
            await response.aread()
            _refuse_forged(response, verifier)

    hooks, async_hooks = {"response": [verify]}, {"response": [verify_async]}
    client.set_httpx_client(httpx.Client(base_url=base_url, headers=headers, transport=sync, event_hooks=hooks))
    return client.set_async_httpx_client(
        httpx.AsyncClient(base_url=base_url, headers=headers, transport=asynchronous, event_hooks=async_hooks)
    )


def _refuse_forged(manifest: httpx.Response, verifier: Verifier) -> None:
    refusal = verifier.refusal(manifest.headers, manifest.content)
    if refusal is not None:
        raise PartnerError(f"the response of {manifest.request.url.path}: {refusal}", None)
