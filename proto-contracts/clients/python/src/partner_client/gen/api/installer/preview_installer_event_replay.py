from typing import Any

import httpx

from ....errors import unexpected_success
from ...client import AuthenticatedClient, Client
from ...models.event_replay_by_ids import EventReplayByIds
from ...models.event_replay_by_numbers import EventReplayByNumbers
from ...models.event_replay_by_time import EventReplayByTime
from ...models.versioned_event_replay_preview import VersionedEventReplayPreview


def _get_kwargs(
    *,
    body: EventReplayByIds | EventReplayByNumbers | EventReplayByTime,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/partner/v1/events/replay/preview",
    }

    if isinstance(body, EventReplayByNumbers):
        _kwargs["json"] = body.to_dict()
    elif isinstance(body, EventReplayByTime):
        _kwargs["json"] = body.to_dict()
    else:
        _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"
    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> VersionedEventReplayPreview:
    try:
        if response.status_code == 200:
            response_200 = VersionedEventReplayPreview.from_dict(response.json())

            return response_200

    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as failure:
        raise unexpected_success(response) from failure
    raise unexpected_success(response)


def sync(
    *,
    client: AuthenticatedClient,
    body: EventReplayByIds | EventReplayByNumbers | EventReplayByTime,
) -> VersionedEventReplayPreview:
    """Preview a replay of events

     Counts the events that a replay with the same body would send to each webhook. Nothing is sent, and
    `perMinute` makes no
    difference.

    Args:
        body (EventReplayByIds | EventReplayByNumbers | EventReplayByTime): Which events of your
            company to send again, where to, and how fast.

    Raises:
        PartnerError: If the call fails.

    Returns:
        VersionedEventReplayPreview
    """

    response = client.get_httpx_client().request(
        **_get_kwargs(
            body=body,
        )
    )
    return _parse_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    body: EventReplayByIds | EventReplayByNumbers | EventReplayByTime,
) -> VersionedEventReplayPreview:
    """Preview a replay of events

     Counts the events that a replay with the same body would send to each webhook. Nothing is sent, and
    `perMinute` makes no
    difference.

    Args:
        body (EventReplayByIds | EventReplayByNumbers | EventReplayByTime): Which events of your
            company to send again, where to, and how fast.

    Raises:
        PartnerError: If the call fails.

    Returns:
        VersionedEventReplayPreview
    """

    response = await client.get_async_httpx_client().request(
        **_get_kwargs(
            body=body,
        )
    )
    return _parse_response(client=client, response=response)
