import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type IdPrefix, isId } from '@partner/kernel/ids';
import { notFound } from '@partner/kernel/service-error';
import type {
  cancelInstallerEventReplayOperation,
  getInstallerEventReplayOperation,
  previewInstallerEventReplayOperation,
  replayInstallerEventsOperation,
} from '@partner/proto-contracts/resources/event-replay/operations';
import type { eventReplayIn } from '@partner/proto-contracts/resources/event-replay/event-replay';
import type { z } from 'zod';
import type { ApiKeyPrincipal } from './api-key-authentication.js';
import { type AnyEndpoint, type EndpointRequest, serveOperation } from './endpoint.js';
import { idempotencyHeadersOf, idempotencyKeyOf } from './idempotency.js';
import type { EventFeedDeps } from './list-event-feed.js';
import { versionedText } from './versioned-text.js';

/**
 * Serves the replay of events of the caller's company: its preview, its start, its progress and its end (decisions REPLAY-6 to
 * REPLAY-9). The
 * operations are those of the gateway's surface.
 */
export function eventReplayEndpoints(
  operations: {
    readonly preview: typeof previewInstallerEventReplayOperation;
    readonly replay: typeof replayInstallerEventsOperation;
    readonly get: typeof getInstallerEventReplayOperation;
    readonly cancel: typeof cancelInstallerEventReplayOperation;
  },
  { eventFeed }: Pick<EventFeedDeps, 'eventFeed'>,
): readonly AnyEndpoint<ApiKeyPrincipal>[] {
  return [
    serveOperation(operations.preview, async (request) => {
      const { resourceJson } = await eventFeed.previewEventReplay(selected(request), request.call);
      return { status: 200, text: versionedText(operations.preview, request, resourceJson) };
    }),
    serveOperation(operations.replay, async (request) => {
      const { resourceJson, idempotency } = await eventFeed.replayEvents(
        {
          ...selected(request),
          perMinute: request.body.perMinute,
          idempotencyKey: idempotencyKeyOf(request),
          actor: actorOf(request),
        },
        request.call,
      );
      return {
        status: 202,
        text: versionedText(operations.replay, request, resourceJson),
        headers: idempotencyHeadersOf(idempotency),
      };
    }),
    serveOperation(operations.get, async (request) => {
      const { resourceJson } = await eventFeed.getEventReplay(replayOf(request), request.call);
      return { status: 200, text: versionedText(operations.get, request, resourceJson) };
    }),
    serveOperation(operations.cancel, async (request) => {
      const cancelled = { ...replayOf(request), actor: actorOf(request) };
      const { resourceJson } = await eventFeed.cancelEventReplay(cancelled, request.call);
      return { status: 200, text: versionedText(operations.cancel, request, resourceJson) };
    }),
  ];
}

type ReplayBody = z.infer<typeof eventReplayIn>;
type Request = EndpointRequest<ApiKeyPrincipal, unknown, unknown>;

/** The events that a body selects, and where to send them. */
function selected({ principal, body }: EndpointRequest<ApiKeyPrincipal, unknown, ReplayBody>) {
  const { subscriptionId, fromSequence, toSequence, from, to, eventIds, event } = body;
  requireId('whk', subscriptionId, 'webhook subscription');
  for (const eventId of eventIds ?? []) requireId('evt', eventId, `event ${eventId}`);
  return {
    companyId: principal.companyId,
    subscriptionId,
    selection: {
      fromSequence: fromSequence?.toString(),
      toSequence: toSequence?.toString(),
      ...(from !== undefined && { from: timestampFromDate(new Date(from)) }),
      ...(to !== undefined && { to: timestampFromDate(new Date(to)) }),
      eventIds: eventIds ?? [],
      event,
    },
  };
}

/** The key as the audit trail names it. */
function actorOf(request: Request) {
  return {
    displayName: `API key ${request.principal.keyId}`,
    remoteAddress: request.remoteAddress,
    userAgent: request.header('user-agent'),
  };
}

function replayOf({ principal, params }: Request) {
  const { id } = params;
  requireId('rpl', id, 'replay of events');
  return { companyId: principal.companyId, replayId: id };
}

/** A malformed id is `not_found`, as one that is not the caller's. */
function requireId(prefix: IdPrefix, id: string | undefined, what: string): void {
  if (id !== undefined && !isId(prefix, id)) throw notFound(what);
}
