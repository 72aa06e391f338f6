import type { OperationLike } from '@partner/proto-contracts/api/operation';
import type { getInstallerManifestOperation } from '@partner/proto-contracts/resources/manifest/operations';
import type { ApiKeyPrincipal } from '../auth/api-key-authentication.js';
import { type AnyEndpoint, serveOperation } from '../http/endpoint.js';
import { callFor, type Forwarding } from './forward-operation.js';
import { keySignatures } from './key-signatures.js';
import { type PageCursorDeps, pageCursors } from './page-cursor.js';
import { versionedText } from './versioned-text.js';

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
