import datetime
from typing import Any
from urllib.parse import quote

import httpx

from ....errors import unexpected_success
from ...client import AuthenticatedClient, Client
from ...models.versioned_webhook_manifest import VersionedWebhookManifest
from ...types import UNSET, Unset


def _get_kwargs(
    id: str,
    *,
    from_: datetime.datetime | Unset = UNSET,
    to: datetime.datetime | Unset = UNSET,
    cursor: str | Unset = UNSET,
    limit: int | Unset = 1000,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    json_from_: str | Unset = UNSET
    if not isinstance(from_, Unset):
        json_from_ = from_.isoformat()
    params["from"] = json_from_

    json_to: str | Unset = UNSET
    if not isinstance(to, Unset):
        json_to = to.isoformat()
    params["to"] = json_to

    params["cursor"] = cursor

    params["limit"] = limit

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/partner/v1/webhooks/{id}/manifest".format(
            id=quote(str(id), safe=""),
        ),
        "params": params,
    }
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> VersionedWebhookManifest:
    try:
        if response.status_code == 200:
            response_200 = VersionedWebhookManifest.from_dict(response.json())

            return response_200

    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as failure:
        raise unexpected_success(response) from failure
    raise unexpected_success(response)


def sync(
    id: str,
    *,
    client: AuthenticatedClient,
    from_: datetime.datetime | Unset = UNSET,
    to: datetime.datetime | Unset = UNSET,
    cursor: str | Unset = UNSET,
    limit: int | Unset = 1000,
) -> VersionedWebhookManifest:
    """Read the manifest of a webhook

     Lists the events that were queued to a webhook in a span of time, each once: its number, its id and
    its outcome. Compare them with
    those that your server has stored, and have the others sent again by their ids.

    Args:
        id (str): The `x-svc-subscription-id` of a delivery: a webhook subscription of your
            company. Any other is 404.
        from_ (datetime.datetime | Unset): Events queued at this time or later; without it, an
            hour before `to`.
        to (datetime.datetime | Unset): Events queued before this time, at most 31 days after
            `from`; without it, now.
        cursor (str | Unset): The `nextCursor` of an earlier response.
        limit (int | Unset): Maximum items in one response. Default: 1000.

    Raises:
        PartnerError: If the call fails.

    Returns:
        VersionedWebhookManifest
    """

    response = client.get_httpx_client().request(
        **_get_kwargs(
            id=id,
            from_=from_,
            to=to,
            cursor=cursor,
            limit=limit,
        )
    )
    return _parse_response(client=client, response=response)


async def asyncio(
    id: str,
    *,
    client: AuthenticatedClient,
    from_: datetime.datetime | Unset = UNSET,
    to: datetime.datetime | Unset = UNSET,
    cursor: str | Unset = UNSET,
    limit: int | Unset = 1000,
) -> VersionedWebhookManifest:
    """Read the manifest of a webhook

     Lists the events that were queued to a webhook in a span of time, each once: its number, its id and
    its outcome. Compare them with
    those that your server has stored, and have the others sent again by their ids.

    Args:
        id (str): The `x-svc-subscription-id` of a delivery: a webhook subscription of your
            company. Any other is 404.
        from_ (datetime.datetime | Unset): Events queued at this time or later; without it, an
            hour before `to`.
        to (datetime.datetime | Unset): Events queued before this time, at most 31 days after
            `from`; without it, now.
        cursor (str | Unset): The `nextCursor` of an earlier response.
        limit (int | Unset): Maximum items in one response. Default: 1000.

    Raises:
        PartnerError: If the call fails.

    Returns:
        VersionedWebhookManifest
    """

    response = await client.get_async_httpx_client().request(
        **_get_kwargs(
            id=id,
            from_=from_,
            to=to,
            cursor=cursor,
            limit=limit,
        )
    )
    return _parse_response(client=client, response=response)
