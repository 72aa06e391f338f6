import { createEventCatalogue } from '@partner/proto-contracts/resources/event-catalogue/event-catalogue';
import { listWebhookEventsOperation } from '@partner/proto-contracts/resources/event-catalogue/operations';
import { CURRENT_API_VERSION } from '@partner/proto-contracts/api/versions';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { entityTagOf } from '@partner/gateway-kit/http/entity-tag';
import type { OwnerSession } from '../sessions/session-store.js';

/** `GET /partner-api/webhook-events`: the event catalogue, rendered once for all requests. */
export function listWebhookEvents(): AnyEndpoint<OwnerSession> {
  const text = JSON.stringify(createEventCatalogue());
  const headers = { etag: entityTagOf(CURRENT_API_VERSION, text) };
  return serveOperation(listWebhookEventsOperation, async () => ({ status: 200, text, headers }));
}
