from typing import Literal

WebhookBulkReplayStatesType0Item = Literal[
    "dead_lettered", "delivered", "retry_scheduled"
]

WEBHOOK_BULK_REPLAY_STATES_TYPE_0_ITEM_VALUES: set[WebhookBulkReplayStatesType0Item] = {
    "dead_lettered",
    "delivered",
    "retry_scheduled",
}


def check_webhook_bulk_replay_states_type_0_item(
    value: str,
) -> WebhookBulkReplayStatesType0Item:
    if value in WEBHOOK_BULK_REPLAY_STATES_TYPE_0_ITEM_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {WEBHOOK_BULK_REPLAY_STATES_TYPE_0_ITEM_VALUES!r}"
    )
