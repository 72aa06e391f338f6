from typing import Any
from urllib.parse import quote

import httpx

from ....errors import unexpected_success
from ...client import AuthenticatedClient, Client
from ...models.contractor_job import ContractorJob
from ...models.job_note_in import JobNoteIn
from ...types import UNSET, Unset


def _get_kwargs(
    id: str,
    *,
    body: JobNoteIn,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/inbound/jobs/{id}/status".format(
            id=quote(str(id), safe=""),
        ),
    }
    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"
    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> ContractorJob:
    try:
        if response.status_code == 200:
            response_200 = ContractorJob.from_dict(response.json())

            return response_200

    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as failure:
        raise unexpected_success(response) from failure
    raise unexpected_success(response)


def sync(
    id: str,
    *,
    client: AuthenticatedClient,
    body: JobNoteIn,
    idempotency_key: str | Unset = UNSET,
) -> ContractorJob:
    """Append a note to a job

     Appends a note to the job, on a new line of `installerNote`, and updates `lastUpdated`. Despite its
    path it does not
    change the job's status.

    Args:
        id (str): The `id` of a job in the list of sold jobs. Any other is 404.
        idempotency_key (str | Unset):
        body (JobNoteIn): A note to append to a job.

    Raises:
        PartnerError: If the call fails.

    Returns:
        ContractorJob
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
    body: JobNoteIn,
    idempotency_key: str | Unset = UNSET,
) -> ContractorJob:
    """Append a note to a job

     Appends a note to the job, on a new line of `installerNote`, and updates `lastUpdated`. Despite its
    path it does not
    change the job's status.

    Args:
        id (str): The `id` of a job in the list of sold jobs. Any other is 404.
        idempotency_key (str | Unset):
        body (JobNoteIn): A note to append to a job.

    Raises:
        PartnerError: If the call fails.

    Returns:
        ContractorJob
    """

    response = await client.get_async_httpx_client().request(
        **_get_kwargs(
            id=id,
            body=body,
            idempotency_key=idempotency_key,
        )
    )
    return _parse_response(client=client, response=response)
