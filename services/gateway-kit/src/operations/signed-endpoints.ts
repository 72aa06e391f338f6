import type { OperationLike } from '@partner/proto-contracts/api/operation';
import { unsignedEvents } from '@partner/proto-contracts/internal/events/unsigned-events';
import type { feedEventHeaders } from '@partner/proto-contracts/resources/event-feed/event-feed';
import type { listInstallerEventsOperation } from '@partner/proto-contracts/resources/event-feed/operations';
import type { getInstallerManifestOperation } from '@partner/proto-contracts/resources/manifest/operations';
import { invariant } from '@partner/kernel/process/invariant';
import { serviceSignature, standardWebhooksSignature } from '@partner/kernel/security/webhook-signature';
import type { z } from 'zod';
import type { ApiKeyPrincipal } from '../auth/api-key-authentication.js';
import { type AnyEndpoint, type EndpointRequest, serveOperation } from '../http/endpoint.js';
import { eventCursors } from './event-cursor.js';
import { callFor, type Forwarding, forwardPage, versionedText } from './forward-operation.js';
import { type PageCursorDeps, pageCursors } from './page-cursor.js';

type Request = Pick<EndpointRequest<unknown, unknown, unknown>, 'header'>;

/**
 * Serves the events of the caller's company: pages in the order of their numbers, each event signed for this response with the
 * caller's key (decisions EVENT-9 to EVENT-11). The operation is that of the gateway's surface.
 *
 * The bodies are passed through unchanged. `nextCursor` is of today, so that a reader without new events keeps a valid one.
 */
export function listEventFeed(
  operation: OperationLike<typeof listInstallerEventsOperation>,
  forwarding: Forwarding<ApiKeyPrincipal>,
  deps: PageCursorDeps,
): AnyEndpoint<ApiKeyPrincipal> {
  return serveOperation(operation, (request) =>
    forwardPage(operation, request, {
      ...forwarding,
      cursors: eventCursors(deps),
      atEnd: null,
      completed(json) {
        const now = deps.clock();
        const events = unsignedEvents
          .parse(JSON.parse(json))
          .events.map(({ sequence, eventId, event, body }) => {
            const headers = {
              'x-svc-event': event,
              ...keySignatures(request, now, { eventId, body }),
            } satisfies z.infer<typeof feedEventHeaders>;
            return `{"sequence":${sequence},"headers":${JSON.stringify(headers)},"body":${JSON.stringify(body)}}`;
          });
        return `{"events":[${events.join(',')}]}`;
      },
    }),
  );
}

/**
 * Serves the manifest of a webhook of the caller's company, signed for this response with the caller's key (decision DELIVERY-25). The
 * operation is that of the gateway's surface.
 */
export function getManifest(
  operation: OperationLike<typeof getInstallerManifestOperation>,
  forwarding: Forwarding<ApiKeyPrincipal>,
  deps: PageCursorDeps,
): AnyEndpoint<ApiKeyPrincipal> {
  return serveOperation(operation, async (request) => {
    const { companyId } = request.principal;
    const cursors = pageCursors(deps, { list: 'manifest', prefix: 'dlv', companyId });
    const after = cursors.idOf(request.query.cursor);
    const { json } = await callFor(operation, request, forwarding, after === undefined ? {} : { after });
    const text = versionedText(operation, request, cursors.pageOf(json));
    const signed = { eventId: request.params['id'] ?? '', body: text };
    return { status: 200, text, headers: keySignatures(request, deps.clock(), signed) };
  });
}

/**
 * Returns the headers that sign a text for the caller's key as a webhook is signed, in both forms: the secret is `whsec_` and the base64 of
 * the key (decision EVENT-11).
 */
function keySignatures(
  request: Request,
  now: Date,
  { eventId, body }: { readonly eventId: string; readonly body: string },
) {
  const apiKey = request.header('x-api-key');
  invariant(apiKey, 'the caller has a key');
  const secret = `whsec_${Buffer.from(apiKey, 'utf8').toString('base64')}`;
  const timestamp = Math.floor(now.getTime() / 1_000);
  const signed = { secret, timestamp, eventId, body: Buffer.from(body, 'utf8') };
  return {
    'x-svc-timestamp': String(timestamp),
    'x-svc-signature': serviceSignature(signed),
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standardWebhooksSignature(signed),
  };
}
