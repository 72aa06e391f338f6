from typing import Literal

JobStatus = Literal[
    "ACKNOWLEDGED",
    "ASSIGNED",
    "BLOCKED",
    "CANCELLED",
    "COMPLETE",
    "EN_ROUTE",
    "IN_PROGRESS",
    "ON_SITE",
]

JOB_STATUS_VALUES: set[JobStatus] = {
    "ACKNOWLEDGED",
    "ASSIGNED",
    "BLOCKED",
    "CANCELLED",
    "COMPLETE",
    "EN_ROUTE",
    "IN_PROGRESS",
    "ON_SITE",
}


def check_job_status(value: str) -> JobStatus:
    if value in JOB_STATUS_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {JOB_STATUS_VALUES!r}"
    )
