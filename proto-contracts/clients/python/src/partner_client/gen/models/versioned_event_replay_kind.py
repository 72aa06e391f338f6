from typing import Literal

VersionedEventReplayKind = Literal["backfill", "events", "replay"]

VERSIONED_EVENT_REPLAY_KIND_VALUES: set[VersionedEventReplayKind] = {
    "backfill",
    "events",
    "replay",
}


def check_versioned_event_replay_kind(value: str) -> VersionedEventReplayKind:
    if value in VERSIONED_EVENT_REPLAY_KIND_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {VERSIONED_EVENT_REPLAY_KIND_VALUES!r}"
    )
