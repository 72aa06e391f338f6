from typing import Literal

VersionedEventReplayStatesType0Item = Literal[
    "dead_lettered", "delivered", "retry_scheduled"
]

VERSIONED_EVENT_REPLAY_STATES_TYPE_0_ITEM_VALUES: set[
    VersionedEventReplayStatesType0Item
] = {
    "dead_lettered",
    "delivered",
    "retry_scheduled",
}


def check_versioned_event_replay_states_type_0_item(
    value: str,
) -> VersionedEventReplayStatesType0Item:
    if value in VERSIONED_EVENT_REPLAY_STATES_TYPE_0_ITEM_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {VERSIONED_EVENT_REPLAY_STATES_TYPE_0_ITEM_VALUES!r}"
    )
