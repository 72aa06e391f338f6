import { jobFeedAnswer } from '@partner/proto-contracts/public-api/installer-job';
import type { Caller, FeedPage, Following } from './history.js';
import { sendRead } from './send-request.js';

/** How long a reader rests that has read everything. */
const PAUSE_MS = 15;

/**
 * Reads a company's change feed with cursors while others write, and until a page that was asked for after `writersAreDone`
 * has nothing new. While nothing is new it asks with the `ETag` of the page before.
 */
export async function followFeed(options: {
  readonly baseUrl: string;
  readonly caller: Caller;
  readonly begins: Following['begins'];
  readonly limit: number;
  readonly writersAreDone: () => boolean;
}): Promise<Following> {
  const { baseUrl, caller, begins, limit } = options;
  const first = { start: '&from=start', snapshot: '&view=snapshot', latest: '' }[begins];
  const pages: FeedPage[] = [];
  let cursor: string | null = null;
  let lastPath = '';
  let etag: string | undefined;
  for (;;) {
    const isLast = options.writersAreDone();
    const path: string = `/partner/v1/jobs?limit=${limit}${cursor === null ? first : `&cursor=${encodeURIComponent(cursor)}`}`;
    const mayBeSame = path === lastPath && etag !== undefined && !isLast;
    const { sentAt, endedAt, answer } = await sendRead(baseUrl, path, {
      'x-api-key': caller.apiKey,
      ...(mayBeSame && etag !== undefined ? { 'if-none-match': etag } : {}),
    });
    pages.push({ path, sentAt, endedAt, answer });
    lastPath = path;
    let isNew = false;
    let hasMore = false;
    if (answer.status === 200) {
      const page = jobFeedAnswer.safeParse(JSON.parse(answer.text)).data;
      if (page === undefined) return { caller, begins, limit, pages };
      etag = answer.headers['etag'];
      isNew = page.resources.length > 0;
      hasMore = page.hasMore;
      cursor = page.nextCursor;
    } else if (answer.status !== 304) {
      return { caller, begins, limit, pages };
    }
    if (!hasMore && !isNew && isLast) return { caller, begins, limit, pages };
    if (!hasMore && !isNew) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
