from typing import Any

import httpx

from ....errors import unexpected_success
from ...client import AuthenticatedClient, Client
from ...models.appointment_booked import AppointmentBooked
from ...models.appointment_in import AppointmentIn


def _get_kwargs(
    *,
    body: AppointmentIn,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/inbound/appointments",
    }
    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"
    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> AppointmentBooked:
    try:
        if response.status_code == 200:
            response_200 = AppointmentBooked.from_dict(response.json())

            return response_200

        if response.status_code == 201:
            response_201 = AppointmentBooked.from_dict(response.json())

            return response_201

    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as failure:
        raise unexpected_success(response) from failure
    raise unexpected_success(response)


def sync(
    *,
    client: AuthenticatedClient,
    body: AppointmentIn,
) -> AppointmentBooked:
    """Book an appointment

     Books an appointment with the customer of a lead, once for each `idempotencyKey` of the body. An
    identical repeat
    returns 200 and the same appointment; the same key with another body is 409. Every field counts, as
    it was sent: `notes`
    left out and empty `notes` differ, and so do two spellings of one instant. The order of the fields
    does not count.

    Args:
        body (AppointmentIn): An appointment as you book it.

    Raises:
        PartnerError: If the call fails.

    Returns:
        AppointmentBooked
    """

    response = client.get_httpx_client().request(
        **_get_kwargs(
            body=body,
        )
    )
    return _parse_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    body: AppointmentIn,
) -> AppointmentBooked:
    """Book an appointment

     Books an appointment with the customer of a lead, once for each `idempotencyKey` of the body. An
    identical repeat
    returns 200 and the same appointment; the same key with another body is 409. Every field counts, as
    it was sent: `notes`
    left out and empty `notes` differ, and so do two spellings of one instant. The order of the fields
    does not count.

    Args:
        body (AppointmentIn): An appointment as you book it.

    Raises:
        PartnerError: If the call fails.

    Returns:
        AppointmentBooked
    """

    response = await client.get_async_httpx_client().request(
        **_get_kwargs(
            body=body,
        )
    )
    return _parse_response(client=client, response=response)
