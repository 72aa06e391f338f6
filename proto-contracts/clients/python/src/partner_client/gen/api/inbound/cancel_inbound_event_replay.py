from typing import Any
from urllib.parse import quote

import httpx

from ....errors import unexpected_success
from ...client import AuthenticatedClient, Client
from ...models.webhook_bulk_replay import WebhookBulkReplay


def _get_kwargs(
    id: str,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "method": "delete",
        "url": "/inbound/events/replays/{id}".format(
            id=quote(str(id), safe=""),
        ),
    }
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> WebhookBulkReplay:
    try:
        if response.status_code == 200:
            response_200 = WebhookBulkReplay.from_dict(response.json())

            return response_200

    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as failure:
        raise unexpected_success(response) from failure
    raise unexpected_success(response)


def sync(
    id: str,
    *,
    client: AuthenticatedClient,
) -> WebhookBulkReplay:
    """Cancel a replay of events

     Stops a replay of events. Deliveries that it has queued continue. A finished one stays unchanged, so
    a repeat is harmless.

    Args:
        id (str): The `id` of a replay of events of your company. Any other is 404.

    Raises:
        PartnerError: If the call fails.

    Returns:
        WebhookBulkReplay
    """

    response = client.get_httpx_client().request(
        **_get_kwargs(
            id=id,
        )
    )
    return _parse_response(client=client, response=response)


async def asyncio(
    id: str,
    *,
    client: AuthenticatedClient,
) -> WebhookBulkReplay:
    """Cancel a replay of events

     Stops a replay of events. Deliveries that it has queued continue. A finished one stays unchanged, so
    a repeat is harmless.

    Args:
        id (str): The `id` of a replay of events of your company. Any other is 404.

    Raises:
        PartnerError: If the call fails.

    Returns:
        WebhookBulkReplay
    """

    response = await client.get_async_httpx_client().request(
        **_get_kwargs(
            id=id,
        )
    )
    return _parse_response(client=client, response=response)
