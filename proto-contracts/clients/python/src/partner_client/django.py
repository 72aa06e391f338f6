"""The webhook view for Django."""

from collections.abc import Awaitable, Callable

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from .webhooks import AsyncWebhookReceiver, WebhookReceiver, WebhookResponse

View = Callable[[HttpRequest], HttpResponse | Awaitable[HttpResponse]]


def django_view(receiver: WebhookReceiver | AsyncWebhookReceiver) -> View:
    """
    Returns a view: `path("webhooks", django_view(receiver))`, an asynchronous one for an AsyncWebhookReceiver. It needs no CSRF
    token: the signature takes its place. An error of `on_event` is raised, so Django returns a 500 and the sender retries.
    """

    def response_of(result: WebhookResponse) -> HttpResponse:
        return HttpResponse(result.error or b"", status=result.status, content_type="text/plain")

    async def async_view(request: HttpRequest) -> HttpResponse:
        assert isinstance(receiver, AsyncWebhookReceiver)
        return response_of(await receiver.receive(request.headers, request.body))

    def view(request: HttpRequest) -> HttpResponse:
        assert isinstance(receiver, WebhookReceiver)
        return response_of(receiver.receive(request.headers, request.body))

    chosen: View = csrf_exempt(require_POST(async_view if isinstance(receiver, AsyncWebhookReceiver) else view))
    return chosen
