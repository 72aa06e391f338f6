from typing import Literal

ManifestEntryOutcome = Literal[
    "cancelled", "dead_lettered", "delivered", "held", "pending", "retry_scheduled"
]

MANIFEST_ENTRY_OUTCOME_VALUES: set[ManifestEntryOutcome] = {
    "cancelled",
    "dead_lettered",
    "delivered",
    "held",
    "pending",
    "retry_scheduled",
}


def check_manifest_entry_outcome(value: str) -> ManifestEntryOutcome:
    if value in MANIFEST_ENTRY_OUTCOME_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {MANIFEST_ENTRY_OUTCOME_VALUES!r}"
    )
