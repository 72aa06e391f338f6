from typing import Literal

WebhookBulkReplayState = Literal["cancelled", "done", "running"]

WEBHOOK_BULK_REPLAY_STATE_VALUES: set[WebhookBulkReplayState] = {
    "cancelled",
    "done",
    "running",
}


def check_webhook_bulk_replay_state(value: str) -> WebhookBulkReplayState:
    if value in WEBHOOK_BULK_REPLAY_STATE_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {WEBHOOK_BULK_REPLAY_STATE_VALUES!r}"
    )
