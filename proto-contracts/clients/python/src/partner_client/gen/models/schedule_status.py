from typing import Literal

ScheduleStatus = Literal["CANCELLED", "CONFIRMED", "TENTATIVE", "UNSCHEDULED"]

SCHEDULE_STATUS_VALUES: set[ScheduleStatus] = {
    "CANCELLED",
    "CONFIRMED",
    "TENTATIVE",
    "UNSCHEDULED",
}


def check_schedule_status(value: str) -> ScheduleStatus:
    if value in SCHEDULE_STATUS_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {SCHEDULE_STATUS_VALUES!r}"
    )
