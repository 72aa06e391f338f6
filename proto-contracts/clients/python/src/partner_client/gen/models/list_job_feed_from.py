from typing import Literal

ListJobFeedFrom = Literal["start"]

LIST_JOB_FEED_FROM_VALUES: set[ListJobFeedFrom] = {
    "start",
}


def check_list_job_feed_from(value: str) -> ListJobFeedFrom:
    if value in LIST_JOB_FEED_FROM_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {LIST_JOB_FEED_FROM_VALUES!r}"
    )
