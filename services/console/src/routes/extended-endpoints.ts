import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { CURRENT_API_VERSION } from '@partner/proto-contracts/api/versions';
import { measureServiceStatusOperation } from '@partner/proto-contracts/internal/service-status/measure-service-status';
import { readWebhookKeysOperation } from '@partner/proto-contracts/internal/webhooks/read-webhook-keys';
import { streamChangesOperation } from '@partner/proto-contracts/resources/change-stream/operations';
import { createEventCatalogue } from '@partner/proto-contracts/resources/event-catalogue/event-catalogue';
import { listWebhookEventsOperation } from '@partner/proto-contracts/resources/event-catalogue/operations';
import {
  getNotificationSettingsOperation,
  setNotificationSettingsOperation,
} from '@partner/proto-contracts/resources/notification-settings/operations';
import { getServiceStatusOperation } from '@partner/proto-contracts/resources/service-status/operations';
import { createWebhookOperation } from '@partner/proto-contracts/resources/subscription/operations';
import { createdWebhookId } from '@partner/proto-contracts/resources/subscription/subscription';
import { checkUrlOperation } from '@partner/proto-contracts/resources/url-check/operations';
import {
  getWebhookKeysOperation,
  getWebhookSenderOperation,
} from '@partner/proto-contracts/resources/webhook-sender/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { entityTagOf } from '@partner/gateway-kit/http/entity-tag';
import { callFor, type Forwarding, responseTo } from '@partner/gateway-kit/operations/forward-operation';
import type { CallOptions } from '@partner/kernel/amqp/operation-client';
import type { ConsoleDeps } from '../console-deps.js';
import { countUse } from '../refusals.js';
import type { OwnerSession } from '../sessions/session-store.js';

const NOTIFICATION_SETTINGS: readonly AnyOperation[] = [
  getNotificationSettingsOperation,
  setNotificationSettingsOperation,
];

/** For what is the same for everyone. */
const PUBLIC = { 'cache-control': 'public, max-age=300' } as const;

/** What job-state does, and the console adds something to. */
export function extendedEndpoints(
  deps: ConsoleDeps,
  forwarding: Forwarding<OwnerSession>,
): readonly AnyEndpoint<OwnerSession>[] {
  return [
    serveOperation(createWebhookOperation, async (request) => {
      const reply = await callFor(createWebhookOperation, request, forwarding);
      const { id } = createdWebhookId.parse(JSON.parse(reply.json)).subscription;
      const location = `/partner-api/webhooks/${id}`;
      return { ...responseTo(createWebhookOperation, request, reply), headers: { location } };
    }),
    // Each check causes a DNS lookup.
    serveOperation(checkUrlOperation, async (request) => {
      const key = `url-checks:${request.principal.id}`;
      await countUse(deps.limiter, key, LIMITS.urlChecksPerMinute, 'URLs can be checked');
      return responseTo(checkUrlOperation, request, await callFor(checkUrlOperation, request, forwarding));
    }),
    ...NOTIFICATION_SETTINGS.map((operation) =>
      serveOperation<OwnerSession, unknown, unknown>(operation, async (request) => {
        const { json } = await callFor(operation, request, forwarding);
        const completed = `${json.slice(0, -1)},"hasMailServer":${deps.mailer !== undefined}}`;
        return responseTo(operation, request, { json: completed });
      }),
    ),
    listWebhookEvents(),
    serveOperation(streamChangesOperation, async ({ principal }) => ({
      status: 200,
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        // Buffering proxies would hold back every event.
        'x-accel-buffering': 'no',
      },
      stream: deps.changeStreams.open(principal),
    })),
    getServiceStatus(deps),
    serveOperation(getWebhookSenderOperation, async () => ({
      ...{ status: 200, headers: PUBLIC },
      json: { egressAddresses: deps.egressAddresses },
    })),
    serveOperation(getWebhookKeysOperation, async ({ params: { id: subscriptionId = '' }, call }) => ({
      ...{ status: 200, headers: PUBLIC },
      json: await deps.operations.callInternal(readWebhookKeysOperation, { subscriptionId }, call),
    })),
  ];
}

/** Serves the event catalogue, rendered once for all requests. */
function listWebhookEvents(): AnyEndpoint<OwnerSession> {
  const text = JSON.stringify(createEventCatalogue());
  const headers = { etag: entityTagOf(CURRENT_API_VERSION, text) };
  return serveOperation(listWebhookEventsOperation, async () => ({ status: 200, text, headers }));
}

/** How long a measurement is returned to everyone. */
const FRESH_MS = 4_000;

/**
 * Serves whether the service works. Open pages and clients without a session ask all the time, so all requests of 4 seconds share one
 * measurement or its failure, also the ones that wait for it. No client's cancellation ends it.
 */
export function getServiceStatus<Principal>(
  deps: Pick<ConsoleDeps, 'operations' | 'clock'>,
): AnyEndpoint<Principal> {
  const measure = (call: CallOptions) =>
    deps.operations.callInternal(measureServiceStatusOperation, {}, call);
  let last: { readonly at: number; readonly measurement: ReturnType<typeof measure> } | undefined;
  return serveOperation(getServiceStatusOperation, async ({ call: { signal: _signal, ...patient } }) => {
    const now = deps.clock().getTime();
    if (last === undefined || Math.abs(now - last.at) >= FRESH_MS) {
      last = { at: now, measurement: measure(patient) };
    }
    return { status: 200, json: await last.measurement };
  });
}
