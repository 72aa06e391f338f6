"""Client for the partner integration API: typed calls, retries, the change feed and webhooks."""

from .client import create_partner_client
from .errors import ApiError, PartnerConnectionError, PartnerError, VersionConflictError, Violation
from .feeds import FollowOptions, follow_events, follow_events_async, follow_jobs, follow_jobs_async
from .gen.client import AuthenticatedClient
from .gen.models import ManifestEntry
from .reconciliation import Reconciliation, reconcile, reconcile_async
from .retries import RetryLimits
from .stores import AsyncStore, FileStore, MemoryStore, Store
from .webhooks import (
    AsyncWebhookReceiver,
    Delivery,
    WebhookEvent,
    WebhookReceiver,
    WebhookResponse,
    event_feed_secret,
)

__all__ = [
    "ApiError",
    "AsyncStore",
    "AsyncWebhookReceiver",
    "AuthenticatedClient",
    "Delivery",
    "FileStore",
    "FollowOptions",
    "ManifestEntry",
    "MemoryStore",
    "PartnerConnectionError",
    "PartnerError",
    "Reconciliation",
    "RetryLimits",
    "Store",
    "VersionConflictError",
    "Violation",
    "WebhookEvent",
    "WebhookReceiver",
    "WebhookResponse",
    "create_partner_client",
    "event_feed_secret",
    "follow_events",
    "follow_events_async",
    "follow_jobs",
    "follow_jobs_async",
    "reconcile",
    "reconcile_async",
]
