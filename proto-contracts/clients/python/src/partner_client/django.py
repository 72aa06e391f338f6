"""The webhook view for Django."""

from collections.abc import Awaitable, Callable

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from .webhooks import AsyncWebhookReceiver, WebhookReceiver, WebhookResponse

_MOST_BYTES = 8 * 1024 * 1024

View = Callable[[HttpRequest], HttpResponse | Awaitable[HttpResponse]]


def django_view(receiver: WebhookReceiver | AsyncWebhookReceiver) -> View:
    """
    Returns a view: `path("webhooks", django_view(receiver))`, an asynchronous one for an AsyncWebhookReceiver, which needs ASGI:
    under WSGI each request has its own event loop. It needs no CSRF token: the signature takes its place. An error of `on_event`
    is raised, so Django returns a 500 and the sender retries.
    """

    def raw_body(request: HttpRequest) -> bytes | None:
        # Not `request.body`, which DATA_UPLOAD_MAX_MEMORY_SIZE limits to 2.5 MB by default.
        body: bytes = request.read(_MOST_BYTES + 1)
        return body if len(body) <= _MOST_BYTES else None

    def response_of(result: WebhookResponse) -> HttpResponse:
        return HttpResponse(result.error or b"", status=result.status, content_type="text/plain")

    async def async_view(request: HttpRequest) -> HttpResponse:
        assert isinstance(receiver, AsyncWebhookReceiver)
        body = raw_body(request)
        return HttpResponse(status=413) if body is None else response_of(await receiver.receive(request.headers, body))

    def view(request: HttpRequest) -> HttpResponse:
        assert isinstance(receiver, WebhookReceiver)
        body = raw_body(request)
        return HttpResponse(status=413) if body is None else response_of(receiver.receive(request.headers, body))

    chosen: View = csrf_exempt(require_POST(async_view if isinstance(receiver, AsyncWebhookReceiver) else view))
    return chosen
