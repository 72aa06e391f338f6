from typing import Any

import httpx

from ....errors import unexpected_success
from ...client import AuthenticatedClient, Client
from ...models.job_feed import JobFeed
from ...models.list_job_feed_from import ListJobFeedFrom
from ...models.list_job_feed_include import (
    ListJobFeedInclude,
)
from ...models.list_job_feed_view import ListJobFeedView
from ...types import UNSET, Unset


def _get_kwargs(
    *,
    cursor: str | Unset = UNSET,
    limit: int | Unset = 50,
    from_: ListJobFeedFrom | Unset = UNSET,
    view: ListJobFeedView | Unset = UNSET,
    include: ListJobFeedInclude | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["cursor"] = cursor

    params["limit"] = limit

    json_from_: str | Unset = UNSET
    if not isinstance(from_, Unset):
        json_from_ = from_

    params["from"] = json_from_

    json_view: str | Unset = UNSET
    if not isinstance(view, Unset):
        json_view = view

    params["view"] = json_view

    json_include: str | Unset = UNSET
    if not isinstance(include, Unset):
        json_include = include

    params["include"] = json_include

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/partner/v1/jobs",
        "params": params,
    }
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> JobFeed:
    try:
        if response.status_code == 200:
            response_200 = JobFeed.from_dict(response.json())

            return response_200

    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as failure:
        raise unexpected_success(response) from failure
    raise unexpected_success(response)


def sync(
    *,
    client: AuthenticatedClient,
    cursor: str | Unset = UNSET,
    limit: int | Unset = 50,
    from_: ListJobFeedFrom | Unset = UNSET,
    view: ListJobFeedView | Unset = UNSET,
    include: ListJobFeedInclude | Unset = UNSET,
) -> JobFeed:
    """Read the change feed

     Reads the changes of your company's jobs, oldest first. Each entry holds the whole job as of that
    change, so
    there is nothing to fetch afterwards.

    Args:
        cursor (str | Unset): The `nextCursor` of an earlier response, unchanged.
        limit (int | Unset): Maximum items in one response. Default: 50.
        from_ (ListJobFeedFrom | Unset): `start`: begin at the oldest entry. With a cursor, it
            makes no difference.
        view (ListJobFeedView | Unset): `snapshot`: page through all jobs that are assigned to you
            now, and end in the cursor to follow the feed from. With a cursor, it makes no difference.
            Not together with `from`.
        include (ListJobFeedInclude | Unset): `unassigned`: also the jobs that have left your
            company, in `unassigned`. They count towards `limit`. Send it with every request, and
            begin with a snapshot.

    Raises:
        PartnerError: If the call fails.

    Returns:
        JobFeed
    """

    response = client.get_httpx_client().request(
        **_get_kwargs(
            cursor=cursor,
            limit=limit,
            from_=from_,
            view=view,
            include=include,
        )
    )
    return _parse_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    cursor: str | Unset = UNSET,
    limit: int | Unset = 50,
    from_: ListJobFeedFrom | Unset = UNSET,
    view: ListJobFeedView | Unset = UNSET,
    include: ListJobFeedInclude | Unset = UNSET,
) -> JobFeed:
    """Read the change feed

     Reads the changes of your company's jobs, oldest first. Each entry holds the whole job as of that
    change, so
    there is nothing to fetch afterwards.

    Args:
        cursor (str | Unset): The `nextCursor` of an earlier response, unchanged.
        limit (int | Unset): Maximum items in one response. Default: 50.
        from_ (ListJobFeedFrom | Unset): `start`: begin at the oldest entry. With a cursor, it
            makes no difference.
        view (ListJobFeedView | Unset): `snapshot`: page through all jobs that are assigned to you
            now, and end in the cursor to follow the feed from. With a cursor, it makes no difference.
            Not together with `from`.
        include (ListJobFeedInclude | Unset): `unassigned`: also the jobs that have left your
            company, in `unassigned`. They count towards `limit`. Send it with every request, and
            begin with a snapshot.

    Raises:
        PartnerError: If the call fails.

    Returns:
        JobFeed
    """

    response = await client.get_async_httpx_client().request(
        **_get_kwargs(
            cursor=cursor,
            limit=limit,
            from_=from_,
            view=view,
            include=include,
        )
    )
    return _parse_response(client=client, response=response)
