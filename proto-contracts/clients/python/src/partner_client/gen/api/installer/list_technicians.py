from typing import Any

import httpx

from ....errors import unexpected_success
from ...client import AuthenticatedClient, Client
from ...models.technicians import Technicians
from ...types import UNSET, Unset


def _get_kwargs(
    *,
    cursor: str | Unset = UNSET,
    limit: int | Unset = 2000,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["cursor"] = cursor

    params["limit"] = limit

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/partner/v1/technicians",
        "params": params,
    }
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Technicians:
    try:
        if response.status_code == 200:
            response_200 = Technicians.from_dict(response.json())

            return response_200

    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as failure:
        raise unexpected_success(response) from failure
    raise unexpected_success(response)


def sync(
    *,
    client: AuthenticatedClient,
    cursor: str | Unset = UNSET,
    limit: int | Unset = 2000,
) -> Technicians:
    """List technicians

     Lists the technicians of your company, the active ones first, then by name. An assignment takes
    their `membershipId`.

    Args:
        cursor (str | Unset): The `nextCursor` of an earlier response, unchanged.
        limit (int | Unset): Maximum items in one response. Default: 2000.

    Raises:
        PartnerError: If the call fails.

    Returns:
        Technicians
    """

    response = client.get_httpx_client().request(
        **_get_kwargs(
            cursor=cursor,
            limit=limit,
        )
    )
    return _parse_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    cursor: str | Unset = UNSET,
    limit: int | Unset = 2000,
) -> Technicians:
    """List technicians

     Lists the technicians of your company, the active ones first, then by name. An assignment takes
    their `membershipId`.

    Args:
        cursor (str | Unset): The `nextCursor` of an earlier response, unchanged.
        limit (int | Unset): Maximum items in one response. Default: 2000.

    Raises:
        PartnerError: If the call fails.

    Returns:
        Technicians
    """

    response = await client.get_async_httpx_client().request(
        **_get_kwargs(
            cursor=cursor,
            limit=limit,
        )
    )
    return _parse_response(client=client, response=response)
