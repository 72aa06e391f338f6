from typing import Any
from urllib.parse import quote

import httpx

from ....errors import unexpected_success
from ...client import AuthenticatedClient, Client
from ...models.job import Job


def _get_kwargs(
    id: str,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/partner/v1/jobs/{id}".format(
            id=quote(str(id), safe=""),
        ),
    }
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Job:
    try:
        if response.status_code == 200:
            response_200 = Job.from_dict(response.json())

            return response_200

    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as failure:
        raise unexpected_success(response) from failure
    raise unexpected_success(response)


def sync(
    id: str,
    *,
    client: AuthenticatedClient,
) -> Job:
    """Read a job

     Reads one job that is assigned to your company, as it is now. To keep up with all jobs, read the
    change feed instead.

    Args:
        id (str): The `id` of a job that is assigned to your company. Any other is 404.

    Raises:
        PartnerError: If the call fails.

    Returns:
        Job
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
) -> Job:
    """Read a job

     Reads one job that is assigned to your company, as it is now. To keep up with all jobs, read the
    change feed instead.

    Args:
        id (str): The `id` of a job that is assigned to your company. Any other is 404.

    Raises:
        PartnerError: If the call fails.

    Returns:
        Job
    """

    response = await client.get_async_httpx_client().request(
        **_get_kwargs(
            id=id,
        )
    )
    return _parse_response(client=client, response=response)
