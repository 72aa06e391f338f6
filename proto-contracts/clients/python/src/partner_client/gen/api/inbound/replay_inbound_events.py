from typing import Any

import httpx

from ....errors import unexpected_success
from ...client import AuthenticatedClient, Client
from ...models.event_replay_by_ids import EventReplayByIds
from ...models.event_replay_by_numbers import EventReplayByNumbers
from ...models.event_replay_by_time import EventReplayByTime
from ...models.event_replays import EventReplays
from ...types import UNSET, Unset


def _get_kwargs(
    *,
    body: EventReplayByIds | EventReplayByNumbers | EventReplayByTime,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/inbound/events/replay",
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
) -> EventReplays:
    try:
        if response.status_code == 202:
            response_202 = EventReplays.from_dict(response.json())

            return response_202

    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as failure:
        raise unexpected_success(response) from failure
    raise unexpected_success(response)


def sync(
    *,
    client: AuthenticatedClient,
    body: EventReplayByIds | EventReplayByNumbers | EventReplayByTime,
    idempotency_key: str | Unset = UNSET,
) -> EventReplays:
    """Replay events

     Sends events of your company to its webhooks again, at a rate: those that your server lost, or has
    never received. Select them by
    `sequence`, by time or by `id`. They can be events without any delivery so far, for example of a
    pause.

    Args:
        idempotency_key (str | Unset):
        body (EventReplayByIds | EventReplayByNumbers | EventReplayByTime): Which events of your
            company to send again, where to, and how fast.

    Raises:
        PartnerError: If the call fails.

    Returns:
        EventReplays
    """

    response = client.get_httpx_client().request(
        **_get_kwargs(
            body=body,
            idempotency_key=idempotency_key,
        )
    )
    return _parse_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    body: EventReplayByIds | EventReplayByNumbers | EventReplayByTime,
    idempotency_key: str | Unset = UNSET,
) -> EventReplays:
    """Replay events

     Sends events of your company to its webhooks again, at a rate: those that your server lost, or has
    never received. Select them by
    `sequence`, by time or by `id`. They can be events without any delivery so far, for example of a
    pause.

    Args:
        idempotency_key (str | Unset):
        body (EventReplayByIds | EventReplayByNumbers | EventReplayByTime): Which events of your
            company to send again, where to, and how fast.

    Raises:
        PartnerError: If the call fails.

    Returns:
        EventReplays
    """

    response = await client.get_async_httpx_client().request(
        **_get_kwargs(
            body=body,
            idempotency_key=idempotency_key,
        )
    )
    return _parse_response(client=client, response=response)
