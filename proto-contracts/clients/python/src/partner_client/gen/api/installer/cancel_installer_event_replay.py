from typing import Any
from urllib.parse import quote

import httpx

from ....errors import unexpected_success
from ...client import AuthenticatedClient, Client
from ...models.versioned_event_replay import VersionedEventReplay


def _get_kwargs(
    id: str,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "method": "delete",
        "url": "/partner/v1/events/replays/{id}".format(
            id=quote(str(id), safe=""),
        ),
    }
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> VersionedEventReplay:
    try:
        if response.status_code == 200:
            response_200 = VersionedEventReplay.from_dict(response.json())

            return response_200

    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as failure:
        raise unexpected_success(response) from failure
    raise unexpected_success(response)


def sync(
    id: str,
    *,
    client: AuthenticatedClient,
) -> VersionedEventReplay:
    """Cancel a replay of events

     Stops a replay of events. Deliveries that it has queued continue. A finished one stays unchanged, so
    a repeat is harmless.

    Args:
        id (str): The `id` of a replay of events of your company. Any other is 404.

    Raises:
        PartnerError: If the call fails.

    Returns:
        VersionedEventReplay
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
) -> VersionedEventReplay:
    """Cancel a replay of events

     Stops a replay of events. Deliveries that it has queued continue. A finished one stays unchanged, so
    a repeat is harmless.

    Args:
        id (str): The `id` of a replay of events of your company. Any other is 404.

    Raises:
        PartnerError: If the call fails.

    Returns:
        VersionedEventReplay
    """

    response = await client.get_async_httpx_client().request(
        **_get_kwargs(
            id=id,
        )
    )
    return _parse_response(client=client, response=response)
