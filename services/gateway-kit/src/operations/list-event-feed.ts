import type { OperationLike } from '@partner/proto-contracts/api/operation';
import { unsignedEvents, type UnsignedEvent } from '@partner/proto-contracts/internal/events/unsigned-events';
import type { feedEventHeaders } from '@partner/proto-contracts/resources/event-feed/event-feed';
import type { listInstallerEventsOperation } from '@partner/proto-contracts/resources/event-feed/operations';
import type { z } from 'zod';
import type { ApiKeyPrincipal } from '../auth/api-key-authentication.js';
import { type AnyEndpoint, serveOperation } from '../http/endpoint.js';
import { eventCursors } from './event-cursor.js';
import { type Forwarding, forwardPage } from './forward-operation.js';
import { keySignatures } from './key-signatures.js';
import type { PageCursorDeps } from './page-cursor.js';

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
        const { events } = unsignedEvents.parse(JSON.parse(json));
        return `{"events":[${events.map((event) => signed(event, request, now)).join(',')}]}`;
      },
    }),
  );
}

function signed(
  { sequence, eventId, event, body }: UnsignedEvent,
  request: Parameters<typeof keySignatures>[0],
  now: Date,
): string {
  const headers = {
    'x-svc-event': event,
    ...keySignatures(request, now, { eventId, body }),
  } satisfies z.infer<typeof feedEventHeaders>;
  return `{"sequence":${sequence},"headers":${JSON.stringify(headers)},"body":${JSON.stringify(body)}}`;
}
