from typing import Any
from urllib.parse import quote

import httpx

from ....errors import unexpected_success
from ...client import AuthenticatedClient, Client
from ...models.assignments_in import AssignmentsIn
from ...models.job import Job
from ...types import UNSET, Unset


def _get_kwargs(
    id: str,
    *,
    body: AssignmentsIn,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "put",
        "url": "/partner/v1/jobs/{id}/assignments".format(
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
    body: AssignmentsIn,
    idempotency_key: str | Unset = UNSET,
) -> Job:
    """Replace the technicians

     Replaces the whole set of technicians of a job with yours, in your order; an empty set removes all
    of them. A technician
    who is unknown, inactive or of another company is 422, and nothing changes. On a job that is
    `COMPLETE` or
    `CANCELLED` it is 422 `transition_not_allowed`. The same set sent again also creates a new version.
    Changes of
    technicians are in the feed; they cause no event.

    Args:
        id (str): The `id` of a job that is assigned to your company. Any other is 404.
        idempotency_key (str | Unset):
        body (AssignmentsIn): The new set of technicians of a job.

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
    body: AssignmentsIn,
    idempotency_key: str | Unset = UNSET,
) -> Job:
    """Replace the technicians

     Replaces the whole set of technicians of a job with yours, in your order; an empty set removes all
    of them. A technician
    who is unknown, inactive or of another company is 422, and nothing changes. On a job that is
    `COMPLETE` or
    `CANCELLED` it is 422 `transition_not_allowed`. The same set sent again also creates a new version.
    Changes of
    technicians are in the feed; they cause no event.

    Args:
        id (str): The `id` of a job that is assigned to your company. Any other is 404.
        idempotency_key (str | Unset):
        body (AssignmentsIn): The new set of technicians of a job.

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
