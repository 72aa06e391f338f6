import { streamChangesOperation } from '@partner/proto-contracts/public-api/operations/changes';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import type { ChangeStreams } from '../live/change-streams.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `GET /partner-api/changes`: tells an open page which webhooks to read again, as it happens. */
export function streamChanges(deps: {
  readonly changeStreams: Pick<ChangeStreams, 'open'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(streamChangesOperation, async ({ principal }) => ({
    status: 200,
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      // Proxies that collect an answer before they pass it on would hold back every event.
      'x-accel-buffering': 'no',
    },
    stream: deps.changeStreams.open(principal),
  }));
}
