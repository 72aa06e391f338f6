from typing import Any

import httpx

from ....errors import unexpected_success
from ...client import AuthenticatedClient, Client
from ...models.contractor_jobs import ContractorJobs
from ...types import UNSET, Unset


def _get_kwargs(
    *,
    take: int | Unset = 50,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["take"] = take

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/inbound/jobs",
        "params": params,
    }
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> ContractorJobs:
    try:
        if response.status_code == 200:
            response_200 = ContractorJobs.from_dict(response.json())

            return response_200

    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as failure:
        raise unexpected_success(response) from failure
    raise unexpected_success(response)


def sync(
    *,
    client: AuthenticatedClient,
    take: int | Unset = 50,
) -> ContractorJobs:
    """List sold jobs

     Lists the jobs that your company sold and that the installer of the key performs, most recently
    updated first. There is no
    next page: `take` is the number of the newest jobs to return.

    Args:
        take (int | Unset): Maximum items in one response. Default: 50.

    Raises:
        PartnerError: If the call fails.

    Returns:
        ContractorJobs
    """

    response = client.get_httpx_client().request(
        **_get_kwargs(
            take=take,
        )
    )
    return _parse_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    take: int | Unset = 50,
) -> ContractorJobs:
    """List sold jobs

     Lists the jobs that your company sold and that the installer of the key performs, most recently
    updated first. There is no
    next page: `take` is the number of the newest jobs to return.

    Args:
        take (int | Unset): Maximum items in one response. Default: 50.

    Raises:
        PartnerError: If the call fails.

    Returns:
        ContractorJobs
    """

    response = await client.get_async_httpx_client().request(
        **_get_kwargs(
            take=take,
        )
    )
    return _parse_response(client=client, response=response)
