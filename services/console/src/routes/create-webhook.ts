import { createWebhookOperation } from '@partner/proto-contracts/resources/subscription/operations';
import { subscriptionCreated } from '@partner/proto-contracts/resources/subscription/subscription';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { callFor, type Forwarding, responseTo } from '@partner/gateway-kit/operations/forward-operation';
import type { OwnerSession } from '../sessions/session-store.js';

/** `POST /partner-api/webhooks`: creates a paused subscription; the response names its path. */
export function createWebhook(deps: {
  readonly forwarding: Forwarding<OwnerSession>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(createWebhookOperation, async (request) => {
    const reply = await callFor(createWebhookOperation, request, deps.forwarding);
    const { id } = subscriptionCreated.parse(JSON.parse(reply.json)).subscription;
    const location = `/partner-api/webhooks/${id}`;
    return { ...responseTo(createWebhookOperation, request, reply), headers: { location } };
  });
}
