from typing import Literal

VersionedEventReplayState = Literal["cancelled", "done", "running"]

VERSIONED_EVENT_REPLAY_STATE_VALUES: set[VersionedEventReplayState] = {
    "cancelled",
    "done",
    "running",
}


def check_versioned_event_replay_state(value: str) -> VersionedEventReplayState:
    if value in VERSIONED_EVENT_REPLAY_STATE_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {VERSIONED_EVENT_REPLAY_STATE_VALUES!r}"
    )
