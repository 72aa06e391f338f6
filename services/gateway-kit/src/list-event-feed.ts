import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import { invariant } from '@partner/kernel/invariant';
import type {
  EventFeedService,
  FeedEvent,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/event_feed_service_pb';
import type { feedEventHeaders } from '@partner/proto-contracts/resources/event-feed/event-feed';
import type { listInstallerEventsOperation } from '@partner/proto-contracts/resources/event-feed/operations';
import type { z } from 'zod';
import type { ApiKeyPrincipal } from './api-key-authentication.js';
import type { CursorSigner } from './cursor-signer.js';
import { type AnyEndpoint, serveOperation } from './endpoint.js';
import { decodeEventCursor, encodeEventCursor } from './event-cursor.js';
import { keySignatures } from './key-signatures.js';
import { versionedText } from './versioned-text.js';

/** Dependencies of the events' endpoints. */
export interface EventFeedDeps {
  readonly eventFeed: Client<typeof EventFeedService>;
  readonly clock: () => Date;
  readonly cursorSigner: CursorSigner;
}

/**
 * Serves the events of the caller's company: pages in the order of their numbers, each event signed for this response with the
 * caller's key (decisions EVENT-9 to EVENT-11). The operation is that of the gateway's surface.
 *
 * The bodies are passed through unchanged. `nextCursor` is of today, so that a reader without new events keeps a valid one.
 */
export function listEventFeed(
  operation: typeof listInstallerEventsOperation,
  { eventFeed, clock, cursorSigner }: EventFeedDeps,
): AnyEndpoint<ApiKeyPrincipal> {
  return serveOperation(operation, async (request) => {
    const { companyId } = request.principal;
    const { cursor, from, limit, event, resourceId } = request.query;
    const after =
      cursor === undefined ? undefined : decodeEventCursor(cursorSigner, companyId, { cursor, now: clock() });
    const page = await eventFeed.listEventFeed(
      {
        companyId,
        limit,
        event,
        resourceId,
        ...(after === undefined
          ? { fromEnd: from === 'end' }
          : { after: { sequence: after.sequence, givenAt: timestampFromDate(after.givenAt) } }),
      },
      request.call,
    );
    const now = clock();
    const events = page.events.map((found) => shownEvent(found, request, now));
    invariant(page.nextSequence, 'a page has an end');
    const nextCursor = encodeEventCursor(cursorSigner, companyId, {
      sequence: page.nextSequence,
      givenAt: now,
    });
    const text = `{"events":[${events.join(',')}],"nextCursor":"${nextCursor}","hasMore":${page.hasMore === true}}`;
    return { status: 200, text: versionedText(operation, request, text) };
  });
}

function shownEvent(
  { sequence, eventId, event, body }: FeedEvent,
  request: Parameters<typeof keySignatures>[0],
  now: Date,
): string {
  invariant(sequence !== undefined && /^\d+$/.test(sequence), 'an event has a number');
  invariant(eventId, 'an event has an id');
  invariant(event, 'an event has a name');
  invariant(body, 'an event has a body');
  const headers = {
    'x-svc-event': event,
    ...keySignatures(request, now, { eventId, body }),
  } satisfies z.infer<typeof feedEventHeaders>;
  return `{"sequence":${sequence},"headers":${JSON.stringify(headers)},"body":${JSON.stringify(body)}}`;
}
