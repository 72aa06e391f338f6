import { listJobFeedOperation } from '@partner/proto-contracts/resources/feed-entry/operations';
import type { ApiKeyPrincipal } from '@partner/gateway-kit/auth/api-key-authentication';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import {
  type Forwarding,
  forwardPage,
  type PositionCursor,
} from '@partner/gateway-kit/operations/forward-operation';

/**
 * `GET /partner/v1/jobs`: the company's change feed. Without a new position the reader keeps its cursor, so `nextCursor` is null only
 * if the company has no entry.
 */
export function listJobFeed(
  forwarding: Forwarding<ApiKeyPrincipal>,
  cursors: PositionCursor,
): AnyEndpoint<ApiKeyPrincipal> {
  return serveOperation(listJobFeedOperation, (request) =>
    forwardPage(listJobFeedOperation, request, {
      ...forwarding,
      cursors,
      atEnd: request.query.cursor ?? null,
    }),
  );
}
