from typing import Literal

ContractorJobStage = Literal[
    "BLOCKED", "CANCELLED", "COMPLETE", "IN_PROGRESS", "SCHEDULED", "SOLD"
]

CONTRACTOR_JOB_STAGE_VALUES: set[ContractorJobStage] = {
    "BLOCKED",
    "CANCELLED",
    "COMPLETE",
    "IN_PROGRESS",
    "SCHEDULED",
    "SOLD",
}


def check_contractor_job_stage(value: str) -> ContractorJobStage:
    if value in CONTRACTOR_JOB_STAGE_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {CONTRACTOR_JOB_STAGE_VALUES!r}"
    )
