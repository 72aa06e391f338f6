import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { isId } from '@partner/kernel/ids';
import { notFound } from '@partner/kernel/service-error';
import { invalidArgument } from '@partner/kernel/validation';
import { MANIFEST_MAX_DAYS } from '@partner/proto-contracts/resources/manifest/manifest';
import type { getInstallerManifestOperation } from '@partner/proto-contracts/resources/manifest/operations';
import type { ApiKeyPrincipal } from './api-key-authentication.js';
import { type AnyEndpoint, serveOperation } from './endpoint.js';
import { keySignatures } from './key-signatures.js';
import type { EventFeedDeps } from './list-event-feed.js';
import { pageCursors } from './page-cursor.js';
import { versionedText } from './versioned-text.js';

const HOUR_MS = 3_600_000;

/**
 * Serves the manifest of a webhook of the caller's company, signed for this response with the caller's key (decision DELIVERY-25). The
 * operation is that of the gateway's surface.
 */
export function getManifest(
  operation: typeof getInstallerManifestOperation,
  deps: EventFeedDeps,
): AnyEndpoint<ApiKeyPrincipal> {
  const { eventFeed, clock } = deps;
  return serveOperation(operation, async (request) => {
    const { companyId } = request.principal;
    const { id: subscriptionId } = request.params;
    if (subscriptionId === undefined || !isId('whk', subscriptionId)) throw notFound('webhook subscription');
    const { cursor, limit } = request.query;
    const cursors = pageCursors(deps, { list: 'manifest', prefix: 'dlv', companyId });
    const now = clock();
    const { from, to } = spanOf(request.query, now);
    const { resourceJson } = await eventFeed.getManifest(
      {
        companyId,
        subscriptionId,
        from: timestampFromDate(from),
        to: timestampFromDate(to),
        afterDeliveryId: cursors.idOf(cursor),
        limit,
      },
      request.call,
    );
    const text = versionedText(operation, request, cursors.pageOf(resourceJson));
    const headers = keySignatures(request, now, { eventId: subscriptionId, body: text });
    return { status: 200, text, headers };
  });
}

function spanOf(query: { readonly from?: string | undefined; readonly to?: string | undefined }, now: Date) {
  const to = query.to === undefined ? now : new Date(query.to);
  const from = query.from === undefined ? new Date(to.getTime() - HOUR_MS) : new Date(query.from);
  const path = query.to === undefined ? 'from' : 'to';
  if (to <= from) throw invalidArgument([{ path, message: 'must be such that from is before to' }]);
  if (to.getTime() - from.getTime() > MANIFEST_MAX_DAYS * 24 * HOUR_MS) {
    const message = `must be such that to is at most ${MANIFEST_MAX_DAYS} days after from`;
    throw invalidArgument([{ path, message }]);
  }
  return { from, to };
}
