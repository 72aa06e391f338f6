from typing import Any
from urllib.parse import quote

import httpx

from ....errors import unexpected_success
from ...client import AuthenticatedClient, Client
from ...models.job import Job
from ...models.schedule_in import ScheduleIn
from ...types import UNSET, Unset


def _get_kwargs(
    id: str,
    *,
    body: ScheduleIn,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "put",
        "url": "/partner/v1/jobs/{id}/schedule".format(
            id=quote(str(id), safe=""),
        ),
    }
    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"
    _kwargs["headers"] = headers
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
    body: ScheduleIn,
    idempotency_key: str | Unset = UNSET,
) -> Job:
    """Set or cancel the schedule

     Sets, moves or cancels the schedule of a job. The [table of schedule
    statuses](#schedule-statuses) lists the allowed moves; any other move, and any on a job that is
    `COMPLETE` or `CANCELLED`, is 422
    `transition_not_allowed`.

    Args:
        id (str): The `id` of a job that is assigned to your company. Any other is 404.
        idempotency_key (str | Unset):
        body (ScheduleIn): The new schedule of a job.

    Raises:
        PartnerError: If the call fails.

    Returns:
        Job
    """

    response = client.get_httpx_client().request(
        **_get_kwargs(
            id=id,
            body=body,
            idempotency_key=idempotency_key,
        )
    )
    return _parse_response(client=client, response=response)


async def asyncio(
    id: str,
    *,
    client: AuthenticatedClient,
    body: ScheduleIn,
    idempotency_key: str | Unset = UNSET,
) -> Job:
    """Set or cancel the schedule

     Sets, moves or cancels the schedule of a job. The [table of schedule
    statuses](#schedule-statuses) lists the allowed moves; any other move, and any on a job that is
    `COMPLETE` or `CANCELLED`, is 422
    `transition_not_allowed`.

    Args:
        id (str): The `id` of a job that is assigned to your company. Any other is 404.
        idempotency_key (str | Unset):
        body (ScheduleIn): The new schedule of a job.

    Raises:
        PartnerError: If the call fails.

    Returns:
        Job
    """

    response = await client.get_async_httpx_client().request(
        **_get_kwargs(
            id=id,
            body=body,
            idempotency_key=idempotency_key,
        )
    )
    return _parse_response(client=client, response=response)
