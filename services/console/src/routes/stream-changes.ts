import { streamChangesOperation } from '@partner/proto-contracts/resources/change-stream/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import type { ChangeStreams } from '../live/change-streams.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `GET /partner-api/changes`: notifies an open page which webhooks to reload. */
export function streamChanges(deps: {
  readonly changeStreams: Pick<ChangeStreams, 'open'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(streamChangesOperation, async ({ principal }) => ({
    status: 200,
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      // Buffering proxies would hold back every event.
      'x-accel-buffering': 'no',
    },
    stream: deps.changeStreams.open(principal),
  }));
}
