from typing import Literal

WebhookBulkReplayKind = Literal["backfill", "events", "replay"]

WEBHOOK_BULK_REPLAY_KIND_VALUES: set[WebhookBulkReplayKind] = {
    "backfill",
    "events",
    "replay",
}


def check_webhook_bulk_replay_kind(value: str) -> WebhookBulkReplayKind:
    if value in WEBHOOK_BULK_REPLAY_KIND_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {WEBHOOK_BULK_REPLAY_KIND_VALUES!r}"
    )
