"""The calls with an API key of kind `automation`."""

from datetime import datetime
from typing import Literal

from ..calls import Call
from .automation_types import (
    AuditEntries,
    WebhookBulkReplay,
    WebhookBulkReplayIn,
    WebhookBulkReplayPreview,
    WebhookBulkReplays,
    WebhookCompanyStatistics,
    WebhookDeliveries,
    WebhookDelivery,
    WebhookDeliveryWithAttempts,
    WebhookFile,
    WebhookPlan,
    WebhookPlanIn,
    WebhookProposalIn,
    WebhookStatistics,
    WebhookSubscription,
    WebhookSubscriptions,
)


def list_webhooks() -> Call[WebhookSubscriptions]:
    """List subscriptions."""
    return Call("GET", "/automation/v1/webhooks")


def get_webhook(id: str) -> Call[WebhookSubscription]:
    """Read a subscription."""
    return Call("GET", "/automation/v1/webhooks/{id}", ids={"id": id})


def list_company_deliveries(
    *,
    cursor: str | None = None,
    limit: int | None = None,
    status: Literal[
        "pending", "retry_scheduled", "delivered", "dead_lettered", "held", "cancelled"
    ]
    | None = None,
    event: str | None = None,
    from_: datetime | None = None,
    to: datetime | None = None,
    resource_id: str | None = None,
    search: str | None = None,
) -> Call[WebhookDeliveries]:
    """List deliveries to all webhooks."""
    return Call(
        "GET",
        "/automation/v1/deliveries",
        query={
            "cursor": cursor,
            "limit": limit,
            "status": status,
            "event": event,
            "from": from_,
            "to": to,
            "resourceId": resource_id,
            "search": search,
        },
    )


def list_deliveries(
    id: str,
    *,
    cursor: str | None = None,
    limit: int | None = None,
    status: Literal[
        "pending", "retry_scheduled", "delivered", "dead_lettered", "held", "cancelled"
    ]
    | None = None,
    event: str | None = None,
    from_: datetime | None = None,
    to: datetime | None = None,
    resource_id: str | None = None,
    search: str | None = None,
    from_number: int | None = None,
    to_number: int | None = None,
) -> Call[WebhookDeliveries]:
    """List deliveries."""
    return Call(
        "GET",
        "/automation/v1/webhooks/{id}/deliveries",
        ids={"id": id},
        query={
            "cursor": cursor,
            "limit": limit,
            "status": status,
            "event": event,
            "from": from_,
            "to": to,
            "resourceId": resource_id,
            "search": search,
            "fromNumber": from_number,
            "toNumber": to_number,
        },
    )


def get_delivery(id: str) -> Call[WebhookDeliveryWithAttempts]:
    """Read a delivery."""
    return Call("GET", "/automation/v1/deliveries/{id}", ids={"id": id})


def retry_delivery(id: str) -> Call[WebhookDelivery]:
    """Retry a delivery now."""
    return Call("POST", "/automation/v1/deliveries/{id}/retry", ids={"id": id})


def replay_delivery(id: str) -> Call[WebhookDelivery]:
    """Replay a delivery."""
    return Call("POST", "/automation/v1/deliveries/{id}/replay", ids={"id": id})


def replay_deliveries(
    id: str, body: WebhookBulkReplayIn
) -> Call[WebhookBulkReplayPreview | WebhookBulkReplay]:
    """Replay deliveries in bulk."""
    return Call(
        "POST", "/automation/v1/webhooks/{id}/replay", ids={"id": id}, body=body
    )


def list_replays(
    id: str, *, cursor: str | None = None, limit: int | None = None
) -> Call[WebhookBulkReplays]:
    """List bulk replays."""
    return Call(
        "GET",
        "/automation/v1/webhooks/{id}/replays",
        ids={"id": id},
        query={"cursor": cursor, "limit": limit},
    )


def get_replay(id: str) -> Call[WebhookBulkReplay]:
    """Read a bulk replay."""
    return Call("GET", "/automation/v1/replays/{id}", ids={"id": id})


def cancel_replay(id: str) -> Call[WebhookBulkReplay]:
    """Cancel a bulk replay."""
    return Call("DELETE", "/automation/v1/replays/{id}", ids={"id": id})


def get_webhook_statistics(
    id: str, *, from_: datetime | None = None, to: datetime | None = None
) -> Call[WebhookStatistics]:
    """Read the statistics of a subscription."""
    return Call(
        "GET",
        "/automation/v1/webhooks/{id}/statistics",
        ids={"id": id},
        query={"from": from_, "to": to},
    )


def get_statistics(
    *, from_: datetime | None = None, to: datetime | None = None
) -> Call[WebhookCompanyStatistics]:
    """Read the statistics of all subscriptions."""
    return Call("GET", "/automation/v1/statistics", query={"from": from_, "to": to})


def list_audit_entries(
    *,
    action: Literal[
        "webhook.created",
        "webhook.updated",
        "webhook.deleted",
        "webhook.tested",
        "webhook.activated",
        "webhook.paused",
        "webhook.secret_rotated",
        "webhook.secret_activated",
        "webhook_proposal.filed",
        "webhook_proposal.confirmed",
        "webhook_proposal.rejected",
        "webhook_proposal.withdrawn",
        "delivery.replayed",
        "delivery.retried",
        "bulk_replay.started",
        "bulk_replay.cancelled",
        "api_key.created",
        "api_key.rotated",
        "api_key.revoked",
        "api_key.faults_set",
        "api_key.faults_cleared",
        "session.started",
        "session.ended",
        "session.confirmed",
        "company.created",
        "company.updated",
        "owner.created",
        "owner.updated",
        "owner.password_link_requested",
        "owner.code_refused",
        "technical_contact.requested",
        "technical_contact.confirmed",
        "person.erased",
        "company.erased",
    ]
    | None = None,
    cursor: str | None = None,
    limit: int | None = None,
) -> Call[AuditEntries]:
    """List the audit trail."""
    return Call(
        "GET",
        "/automation/v1/audit-entries",
        query={"action": action, "cursor": cursor, "limit": limit},
    )


def export_webhooks() -> Call[WebhookFile]:
    """Write the webhooks as a file."""
    return Call("GET", "/automation/v1/webhook-file")


def plan_webhooks(body: WebhookPlanIn) -> Call[WebhookPlan]:
    """Compare a file with the webhooks."""
    return Call("POST", "/automation/v1/webhook-file/plan", body=body)


def propose_webhooks(body: WebhookProposalIn) -> Call[WebhookPlan]:
    """Propose the webhooks of a file."""
    return Call("POST", "/automation/v1/webhook-proposals", body=body)
