from typing import Literal

ListJobFeedInclude = Literal["unassigned"]

LIST_JOB_FEED_INCLUDE_VALUES: set[ListJobFeedInclude] = {
    "unassigned",
}


def check_list_job_feed_include(value: str) -> ListJobFeedInclude:
    if value in LIST_JOB_FEED_INCLUDE_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {LIST_JOB_FEED_INCLUDE_VALUES!r}"
    )
