from typing import Any

import httpx

from ....errors import unexpected_success
from ...client import AuthenticatedClient, Client
from ...models.lead_created import LeadCreated
from ...models.lead_in import LeadIn
from ...models.lead_merged import LeadMerged
from ...types import UNSET, Unset


def _get_kwargs(
    *,
    body: LeadIn,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/inbound/leads",
    }
    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"
    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> LeadCreated | LeadMerged:
    try:
        if response.status_code == 200:
            response_200 = LeadMerged.from_dict(response.json())

            return response_200

        if response.status_code == 201:
            response_201 = LeadCreated.from_dict(response.json())

            return response_201

    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as failure:
        raise unexpected_success(response) from failure
    raise unexpected_success(response)


def sync(
    *,
    client: AuthenticatedClient,
    body: LeadIn,
    idempotency_key: str | Unset = UNSET,
) -> LeadCreated | LeadMerged:
    """Create or merge a lead

     Submits a lead. A new one opens a project and returns 201 with both ids. The events of the project
    have them too.

    Args:
        idempotency_key (str | Unset):
        body (LeadIn): A lead as you submit it.

    Raises:
        PartnerError: If the call fails.

    Returns:
        LeadCreated | LeadMerged
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
    body: LeadIn,
    idempotency_key: str | Unset = UNSET,
) -> LeadCreated | LeadMerged:
    """Create or merge a lead

     Submits a lead. A new one opens a project and returns 201 with both ids. The events of the project
    have them too.

    Args:
        idempotency_key (str | Unset):
        body (LeadIn): A lead as you submit it.

    Raises:
        PartnerError: If the call fails.

    Returns:
        LeadCreated | LeadMerged
    """

    response = await client.get_async_httpx_client().request(
        **_get_kwargs(
            body=body,
            idempotency_key=idempotency_key,
        )
    )
    return _parse_response(client=client, response=response)
