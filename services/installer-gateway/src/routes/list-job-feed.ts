import type { CallOptions, Client } from '@connectrpc/connect';
import type {
  FeedEntry,
  JobService,
  UnassignedJob,
} from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { listJobFeedOperation } from '@partner/proto-contracts/resources/feed-entry/operations';
import type { ApiKeyPrincipal } from '@partner/gateway-kit/api-key-authentication';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { invariant } from '@partner/kernel/invariant';
import type { FeedCursor, FeedPosition } from '../feed-cursor.js';

/** Company and page size of a read. */
interface Reader {
  readonly jobs: Pick<Client<typeof JobService>, 'listJobFeed' | 'listAssignedJobs'>;
  readonly companyId: string;
  readonly limit: number;
  /** Whether the reader asks for the jobs that have left the company. */
  readonly includeUnassigned: boolean;
  readonly call: CallOptions;
}

interface Page {
  readonly entryTexts: readonly string[];
  readonly unassignedTexts: readonly string[];
  /** Position of the next page; undefined: this page's own start. */
  readonly next: FeedPosition | undefined;
  readonly hasMore: boolean;
}

/**
 * `GET /partner/v1/jobs`: the company's change feed. Without a cursor it returns the newest page, oldest entry first
 * (spec: Installer v1, rule 1), or with `from=start` the oldest page. With a cursor it returns the entries after it.
 * `nextCursor` is null only if the company has no entry.
 *
 * `view=snapshot` pages through the company's current jobs. Its last cursor continues in the feed, at the newest
 * sequence when the first page was read; every entry of the snapshot carries that sequence. Later pages may already
 * show newer changes. The feed repeats those, and contains all changes after earlier pages, so no change is missed.
 *
 * With `include=unassigned`, jobs that have left the company are entries of the feed too (decision FEED-10). A snapshot has none:
 * a job that leaves while it is read has a later place in the feed.
 */
export function listJobFeed(deps: {
  readonly jobs: Reader['jobs'];
  readonly cursors: FeedCursor;
}): AnyEndpoint<ApiKeyPrincipal> {
  const { jobs, cursors } = deps;
  return serveOperation(
    listJobFeedOperation,
    async ({ principal: { companyId }, query: { cursor, limit, from, view, include }, apiVersion, call }) => {
      const includeUnassigned = include === 'unassigned';
      const reader = { jobs, companyId, limit, includeUnassigned, call };
      const read = () => {
        if (cursor === undefined) {
          return view === 'snapshot'
            ? snapshotPage(reader, undefined)
            : feedPage(reader, from === 'start' ? '0' : undefined);
        }
        const place = cursors.decode(companyId, cursor);
        return place.kind === 'feed' ? feedPage(reader, place.sequence) : snapshotPage(reader, place);
      };
      const { entryTexts, unassignedTexts, next, hasMore } = await read();
      const nextCursor = next === undefined ? (cursor ?? null) : cursors.encode(companyId, next);
      // Embeds the projections' own texts without parsing them.
      const unassigned = includeUnassigned ? `"unassigned":[${unassignedTexts.join(',')}],` : '';
      const text = `{"apiVersion":"${apiVersion}","resources":[${entryTexts.join(',')}],${unassigned}"nextCursor":${JSON.stringify(nextCursor)},"hasMore":${hasMore}}`;
      return { status: 200, text };
    },
  );
}

/** Returns a page of the feed after a sequence, or the newest page. */
async function feedPage(reader: Reader, afterSequence: string | undefined): Promise<Page> {
  const { jobs, companyId, limit, includeUnassigned, call } = reader;
  const { entries, unassigned, hasMore } = await jobs.listJobFeed(
    { companyId, limit, afterSequence, includeUnassigned },
    call,
  );
  const last = laterOf(entries.at(-1)?.sequence, unassigned.at(-1)?.sequence);
  return {
    entryTexts: entries.map((entry) => entryText(entry.sequence, entry)),
    unassignedTexts: unassigned.map(unassignedText),
    next: last === undefined ? undefined : { kind: 'feed', sequence: last },
    hasMore: hasMore === true,
  };
}

/** Returns a page of a started snapshot, or the first page of a new one. */
async function snapshotPage(
  reader: Reader,
  place: { readonly sequence: string; readonly afterJobId: string } | undefined,
): Promise<Page> {
  const { companyId, limit, call } = reader;
  const { jobs, hasMore, feedSequence } = await reader.jobs.listAssignedJobs(
    { companyId, limit, afterJobId: place?.afterJobId },
    call,
  );
  const sequence = place?.sequence ?? feedSequence;
  invariant(sequence, 'the feed has a newest sequence');
  const lastJobId = jobs.at(-1)?.jobId;
  return {
    entryTexts: jobs.map((job) => entryText(sequence, job)),
    unassignedTexts: [],
    next: hasMore === true ? snapshotPlace(sequence, lastJobId) : feedPlace(sequence),
    hasMore: hasMore === true,
  };
}

function snapshotPlace(sequence: string, lastJobId: string | undefined): FeedPosition {
  invariant(lastJobId, 'a page with more jobs has a last job');
  return { kind: 'snapshot', sequence, afterJobId: lastJobId };
}

/** Undefined at sequence 0: the company has never had an entry. */
function feedPlace(sequence: string): FeedPosition | undefined {
  return sequence === '0' ? undefined : { kind: 'feed', sequence };
}

function entryText(
  sequence: string | undefined,
  { changedAt, resourceJson }: Pick<FeedEntry, 'changedAt' | 'resourceJson'>,
): string {
  invariant(sequence !== undefined && /^\d+$/.test(sequence), 'an entry has a sequence');
  invariant(changedAt, 'an entry has its instant');
  invariant(resourceJson, 'an entry has a projection');
  return `{"sequence":${sequence},"changedAt":${JSON.stringify(changedAt)},"resource":${resourceJson}}`;
}

function unassignedText({ sequence, jobId, unassignedAt }: UnassignedJob): string {
  invariant(sequence !== undefined && /^\d+$/.test(sequence), 'an unassigned job has a sequence');
  invariant(jobId, 'an unassigned job has an id');
  invariant(unassignedAt, 'an unassigned job has its instant');
  return `{"sequence":${sequence},"jobId":${JSON.stringify(jobId)},"unassignedAt":${JSON.stringify(unassignedAt)}}`;
}

/** The later of two sequences, which are decimal texts. */
function laterOf(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return BigInt(one) > BigInt(other) ? one : other;
}
