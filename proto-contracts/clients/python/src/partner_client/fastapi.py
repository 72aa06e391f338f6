"""The webhook endpoint for FastAPI and Starlette."""

from collections.abc import Awaitable, Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from .webhooks import AsyncWebhookReceiver, WebhookReceiver

_MOST_BYTES = 8 * 1024 * 1024


def fastapi_endpoint(receiver: WebhookReceiver | AsyncWebhookReceiver) -> Callable[[Request], Awaitable[Response]]:
    """
    Returns an endpoint: `app.post("/webhooks")(fastapi_endpoint(receiver))`. A WebhookReceiver runs in a thread. An error of
    `on_event` is raised, so the framework returns a 500 and the sender retries.
    """

    async def endpoint(request: Request) -> Response:
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > _MOST_BYTES:
                return Response(status_code=413)
        if isinstance(receiver, AsyncWebhookReceiver):
            response = await receiver.receive(request.headers, bytes(body))
        else:
            response = await run_in_threadpool(receiver.receive, request.headers, bytes(body))
        return Response(response.error, status_code=response.status, media_type="text/plain")

    return endpoint
