from typing import Literal

StatusEventInBlockerCode = Literal[
    "CUSTOMER_UNAVAILABLE",
    "EQUIPMENT_DAMAGED",
    "MATERIAL_MISSING",
    "OTHER",
    "PERMIT",
    "SAFETY",
    "SITE_NOT_READY",
    "WEATHER",
]

STATUS_EVENT_IN_BLOCKER_CODE_VALUES: set[StatusEventInBlockerCode] = {
    "CUSTOMER_UNAVAILABLE",
    "EQUIPMENT_DAMAGED",
    "MATERIAL_MISSING",
    "OTHER",
    "PERMIT",
    "SAFETY",
    "SITE_NOT_READY",
    "WEATHER",
}


def check_status_event_in_blocker_code(value: str) -> StatusEventInBlockerCode:
    if value in STATUS_EVENT_IN_BLOCKER_CODE_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {STATUS_EVENT_IN_BLOCKER_CODE_VALUES!r}"
    )
