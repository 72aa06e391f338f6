import type { Client } from '@connectrpc/connect';
import type { FeedEntry, JobService } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { listJobFeedOperation } from '@partner/proto-contracts/public-api/operations/installer';
import type { ApiKeyPrincipal } from '@partner/runtime/http/api-key-authentication';
import { type AnyEndpoint, serveOperation } from '@partner/runtime/http/endpoint';
import { invariant } from '@partner/runtime/invariant';
import type { FeedCursor } from '../feed-cursor.js';

/**
 * `GET /partner/v1/jobs`: the company's change feed. Without a cursor the newest page, oldest entry first (spec: Installer
 * v1, rule 1); with one the entries after it. `nextCursor` is null only when the company has no entry at all.
 */
export function listJobFeed(deps: {
  readonly jobs: Pick<Client<typeof JobService>, 'listJobFeed'>;
  readonly cursors: FeedCursor;
}): AnyEndpoint<ApiKeyPrincipal> {
  return serveOperation(
    listJobFeedOperation,
    async ({ principal: { companyId }, query: { cursor, limit }, apiVersion, call }) => {
      const afterSequence = cursor === undefined ? undefined : deps.cursors.decode(companyId, cursor);
      const { entries, hasMore } = await deps.jobs.listJobFeed({ companyId, limit, afterSequence }, call);
      const last = entries.at(-1)?.sequence;
      const nextCursor = last === undefined ? (cursor ?? null) : deps.cursors.encode(companyId, last);
      return { status: 200, text: feedText(apiVersion, entries, nextCursor, hasMore === true) };
    },
  );
}

/** The page around the projections' own texts, which are never parsed on the way. */
function feedText(
  apiVersion: string,
  entries: readonly FeedEntry[],
  nextCursor: string | null,
  hasMore: boolean,
): string {
  const resources = entries.map(entryText).join(',');
  return `{"apiVersion":"${apiVersion}","resources":[${resources}],"nextCursor":${JSON.stringify(nextCursor)},"hasMore":${hasMore}}`;
}

function entryText({ sequence, changedAt, resourceJson }: FeedEntry): string {
  invariant(sequence !== undefined && /^\d+$/.test(sequence), 'a feed entry has a sequence');
  invariant(changedAt, 'a feed entry has its instant');
  invariant(resourceJson, 'a feed entry has a projection');
  return `{"sequence":${sequence},"changedAt":${JSON.stringify(changedAt)},"resource":${resourceJson}}`;
}
