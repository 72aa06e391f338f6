from typing import Literal

ScheduleInStatus = Literal["CANCELLED", "CONFIRMED", "TENTATIVE"]

SCHEDULE_IN_STATUS_VALUES: set[ScheduleInStatus] = {
    "CANCELLED",
    "CONFIRMED",
    "TENTATIVE",
}


def check_schedule_in_status(value: str) -> ScheduleInStatus:
    if value in SCHEDULE_IN_STATUS_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {SCHEDULE_IN_STATUS_VALUES!r}"
    )
