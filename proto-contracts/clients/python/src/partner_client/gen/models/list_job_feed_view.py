from typing import Literal

ListJobFeedView = Literal["snapshot"]

LIST_JOB_FEED_VIEW_VALUES: set[ListJobFeedView] = {
    "snapshot",
}


def check_list_job_feed_view(value: str) -> ListJobFeedView:
    if value in LIST_JOB_FEED_VIEW_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {LIST_JOB_FEED_VIEW_VALUES!r}"
    )
