import { jobFeedResponse } from '@partner/proto-contracts/public-api/installer-job';
import type { Caller, FeedPage, Following, ReceivedResponse } from './history.js';
import { sendRead } from './send-request.js';

/** How long a reader rests that has read everything. */
const PAUSE_MS = 15;

/**
 * Reads a company's change feed with cursors while others write, and until a page that was asked for after `writersAreDone`
 * has nothing new. While nothing is new it asks with the `ETag` of the page before, and for the last page once more with its
 * own.
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
  async function readPage(path: string, ifNoneMatch: string | undefined): Promise<ReceivedResponse> {
    const { sentAt, endedAt, answer } = await sendRead(baseUrl, path, {
      'x-api-key': caller.apiKey,
      ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
    });
    pages.push({ path, sentAt, endedAt, answer });
    return answer;
  }
  for (;;) {
    const isLast = options.writersAreDone();
    const path: string = `/partner/v1/jobs?limit=${limit}${cursor === null ? first : `&cursor=${encodeURIComponent(cursor)}`}`;
    const answer = await readPage(path, path === lastPath && !isLast ? etag : undefined);
    lastPath = path;
    let isNew = false;
    let hasMore = false;
    if (answer.status === 200) {
      const page = jobFeedResponse.safeParse(JSON.parse(answer.text)).data;
      if (page === undefined) return { caller, begins, limit, pages };
      etag = answer.headers['etag'];
      isNew = page.resources.length > 0;
      hasMore = page.hasMore;
      cursor = page.nextCursor;
    } else if (answer.status !== 304) {
      return { caller, begins, limit, pages };
    }
    if (!hasMore && !isNew && isLast) {
      await readPage(path, etag);
      return { caller, begins, limit, pages };
    }
    if (!hasMore && !isNew) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
