from typing import Literal

StatusEventInStatus = Literal[
    "ACKNOWLEDGED", "BLOCKED", "COMPLETE", "EN_ROUTE", "IN_PROGRESS", "ON_SITE"
]

STATUS_EVENT_IN_STATUS_VALUES: set[StatusEventInStatus] = {
    "ACKNOWLEDGED",
    "BLOCKED",
    "COMPLETE",
    "EN_ROUTE",
    "IN_PROGRESS",
    "ON_SITE",
}


def check_status_event_in_status(value: str) -> StatusEventInStatus:
    if value in STATUS_EVENT_IN_STATUS_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {STATUS_EVENT_IN_STATUS_VALUES!r}"
    )
