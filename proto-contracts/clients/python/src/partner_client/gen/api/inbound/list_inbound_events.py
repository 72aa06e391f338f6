from typing import Any

import httpx

from ....errors import unexpected_success
from ...client import AuthenticatedClient, Client
from ...models.event_feed import EventFeed
from ...models.list_inbound_events_from import (
    ListInboundEventsFrom,
)
from ...types import UNSET, Unset


def _get_kwargs(
    *,
    cursor: str | Unset = UNSET,
    from_: ListInboundEventsFrom | Unset = UNSET,
    limit: int | Unset = 50,
    event: str | Unset = UNSET,
    resource_id: str | Unset = UNSET,
    fields: str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["cursor"] = cursor

    json_from_: str | Unset = UNSET
    if not isinstance(from_, Unset):
        json_from_ = from_

    params["from"] = json_from_

    params["limit"] = limit

    params["event"] = event

    params["resourceId"] = resource_id

    params["fields"] = fields

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/inbound/events",
        "params": params,
    }
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> EventFeed:
    try:
        if response.status_code == 200:
            response_200 = EventFeed.from_dict(response.json())

            return response_200

    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as failure:
        raise unexpected_success(response) from failure
    raise unexpected_success(response)


def sync(
    *,
    client: AuthenticatedClient,
    cursor: str | Unset = UNSET,
    from_: ListInboundEventsFrom | Unset = UNSET,
    limit: int | Unset = 50,
    event: str | Unset = UNSET,
    resource_id: str | Unset = UNSET,
    fields: str | Unset = UNSET,
) -> EventFeed:
    """Read events

     Reads the events of your company in order, with the same bodies as their webhooks. Use it to fetch
    what your endpoint missed, or in place of
    webhooks: it needs no subscription. Events are kept for 120 days.

    Args:
        cursor (str | Unset): The `nextCursor` of an earlier response, unchanged.
        from_ (ListInboundEventsFrom | Unset): `end`: return no events, only the cursor for those
            to come. Without it, a reader without a cursor begins at the oldest event that is kept.
            With a cursor, it makes no difference.
        limit (int | Unset): Maximum items in one response. Default: 50.
        event (str | Unset): Only this event, such as `install.status_changed`, or this group,
            such as `install.*`.
        resource_id (str | Unset): Only events about this resource, e.g. the id of a job. For a
            project or a lead also those of its quotes, deposits, invoices, rebates and appointments.
        fields (str | Unset): Names of fields, separated by commas: of the events that have
            `changed`, only those of which one of these fields changed.

    Raises:
        PartnerError: If the call fails.

    Returns:
        EventFeed
    """

    response = client.get_httpx_client().request(
        **_get_kwargs(
            cursor=cursor,
            from_=from_,
            limit=limit,
            event=event,
            resource_id=resource_id,
            fields=fields,
        )
    )
    return _parse_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    cursor: str | Unset = UNSET,
    from_: ListInboundEventsFrom | Unset = UNSET,
    limit: int | Unset = 50,
    event: str | Unset = UNSET,
    resource_id: str | Unset = UNSET,
    fields: str | Unset = UNSET,
) -> EventFeed:
    """Read events

     Reads the events of your company in order, with the same bodies as their webhooks. Use it to fetch
    what your endpoint missed, or in place of
    webhooks: it needs no subscription. Events are kept for 120 days.

    Args:
        cursor (str | Unset): The `nextCursor` of an earlier response, unchanged.
        from_ (ListInboundEventsFrom | Unset): `end`: return no events, only the cursor for those
            to come. Without it, a reader without a cursor begins at the oldest event that is kept.
            With a cursor, it makes no difference.
        limit (int | Unset): Maximum items in one response. Default: 50.
        event (str | Unset): Only this event, such as `install.status_changed`, or this group,
            such as `install.*`.
        resource_id (str | Unset): Only events about this resource, e.g. the id of a job. For a
            project or a lead also those of its quotes, deposits, invoices, rebates and appointments.
        fields (str | Unset): Names of fields, separated by commas: of the events that have
            `changed`, only those of which one of these fields changed.

    Raises:
        PartnerError: If the call fails.

    Returns:
        EventFeed
    """

    response = await client.get_async_httpx_client().request(
        **_get_kwargs(
            cursor=cursor,
            from_=from_,
            limit=limit,
            event=event,
            resource_id=resource_id,
            fields=fields,
        )
    )
    return _parse_response(client=client, response=response)
