from typing import Literal

JobDocumentCategory = Literal[
    "COMPLETION", "CONTRACT_METADATA", "MANUAL", "PERMIT", "SCOPE", "WARRANTY"
]

JOB_DOCUMENT_CATEGORY_VALUES: set[JobDocumentCategory] = {
    "COMPLETION",
    "CONTRACT_METADATA",
    "MANUAL",
    "PERMIT",
    "SCOPE",
    "WARRANTY",
}


def check_job_document_category(value: str) -> JobDocumentCategory:
    if value in JOB_DOCUMENT_CATEGORY_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {JOB_DOCUMENT_CATEGORY_VALUES!r}"
    )
