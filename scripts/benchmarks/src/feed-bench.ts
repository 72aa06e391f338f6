import { jobFeedResponse } from '@partner/proto-contracts/resources/feed-entry/feed-entry';
import { invariant } from '@partner/kernel/invariant';
import { withPostgres } from '@partner/test-kit/backing-services/postgres';
import type { Bench } from './bench-stack.js';
import { addChanges, addInstaller, type ApiInstaller, settle } from './fill-api.js';
import type { Client } from './fill.js';
import { createHttpClient, type HttpClient } from './http-client.js';
import { measureInterleaved } from './measure-interleaved.js';
import { summarise } from './statistics.js';
import { textTable } from '@partner/local-stack/text-table';

/** The maximum ratio of a read with many changes to one with few. */
const LARGEST_RATIO = 1.3;

/** The length of the short feed. */
export const SHORT_FEED = 1_000;

const PAGE = 50;
/** A run with few samples has a shorter warm-up. */
const MOST_WARM_UP_ROUNDS = 100;
const AT_ONCE = 8;
const MIDDLES = 9;

/** A feed, with cursors that the service has returned. */
interface Feed {
  readonly company: ApiInstaller;
  readonly afterFirst: string;
  /** Spread evenly, none at the start or the end. */
  readonly middles: readonly string[];
  readonly end: string;
}

interface Read {
  readonly name: string;
  readonly pathIn: (feed: Feed, turn: number) => string;
  readonly entries: number;
}

const READS: readonly Read[] = [
  { name: 'the newest page', pathIn: () => pagePath(PAGE), entries: PAGE },
  {
    name: 'after a cursor in the middle',
    pathIn: ({ middles }, turn) => pagePath(PAGE, middles[turn % middles.length]),
    entries: PAGE,
  },
  { name: 'at the end, nothing new', pathIn: ({ end }) => pagePath(PAGE, end), entries: 0 },
];

/**
 * Compares reads of the change feed of a company with many changes with those of a company with {@link SHORT_FEED},
 * through the installer gateway. Throws if a page has the wrong content, or the short feed does not return each of its
 * entries exactly once.
 */
export async function runFeedBench(
  { stack: { description }, report, signal }: Bench,
  options: {
    /** Changes of the long feed. */
    readonly changes: number;
    /** Measured requests of each company in each way. */
    readonly samples: number;
  },
) {
  const { changes, samples } = options;
  const http = createHttpClient(description.services['installer-gateway']?.url ?? '');
  try {
    const [short, long] = await withPostgres(description.postgresUrl, async (client) => {
      const make = async (length: number): Promise<Feed> => {
        const feed = await makeFeed(client, http, length, signal);
        report(`a feed has ${length.toLocaleString('en')} changes`);
        return feed;
      };
      const feeds = [await make(SHORT_FEED), await make(changes)] as const;
      await settle(client);
      return feeds;
    });
    await expectEachEntryOnce(http, short);
    report(`a walk through ${SHORT_FEED.toLocaleString('en')} changes yields each once, in order`);
    const comparisons = await compareReads(http, [short, long], { samples, report, signal });
    return {
      changes: { short: SHORT_FEED, long: changes },
      comparisons,
      largestRatio: LARGEST_RATIO,
      holds: comparisons.every(({ ratio }) => ratio <= LARGEST_RATIO),
    };
  } finally {
    http.close();
  }
}

/** Renders the result as a table. */
export function renderFeed(result: Awaited<ReturnType<typeof runFeedBench>>) {
  const { changes, comparisons, largestRatio } = result;
  const milliseconds = (value: number) => `${value.toFixed(2)} ms`;
  const count = (value: number) => value.toLocaleString('en');
  const table = [
    [
      'read',
      'at once',
      'samples',
      ...[changes.short, changes.long].flatMap((length) => [`${count(length)}: median`, 'p95']),
      'ratio',
    ],
    ...comparisons.map(({ read, atOnce, short, long, ratio }) => [
      read,
      String(atOnce),
      String(short.samples),
      ...[short, long].flatMap(({ p50, p95 }) => [milliseconds(p50), milliseconds(p95)]),
      ratio.toFixed(2),
    ]),
  ];
  const tooLarge = comparisons.filter(({ ratio }) => ratio > largestRatio).length;
  const verdict =
    tooLarge === 0
      ? `The long feed reads as fast as the short one: no ratio of medians is above ${largestRatio}.`
      : `The long feed reads slower than the short one: ${tooLarge} of ${comparisons.length} ratios are above ${largestRatio}.`;
  return [...textTable(table, 'right'), '', verdict];
}

/** Fills a feed in steps and reads the newest cursor after each. */
async function makeFeed(
  client: Client,
  http: HttpClient,
  changes: number,
  signal: AbortSignal,
): Promise<Feed> {
  const company = await addInstaller(client, changes);
  let last = 0;
  const lengthenTo = async (to: number): Promise<string> => {
    signal.throwIfAborted();
    await addChanges(client, company, { from: last + 1, to, changes });
    last = to;
    const { nextCursor } = await readPage(http, company, pagePath(1));
    invariant(nextCursor !== null, 'a feed with entries has a cursor');
    return nextCursor;
  };
  const afterFirst = await lengthenTo(1);
  const middles: string[] = [];
  for (let step = 1; step <= MIDDLES; step += 1) {
    middles.push(await lengthenTo(Math.floor((changes * step) / (MIDDLES + 1))));
  }
  return { company, afterFirst, middles, end: await lengthenTo(changes) };
}

async function expectEachEntryOnce(http: HttpClient, feed: Feed): Promise<void> {
  const walked: number[] = [];
  let cursor = feed.afterFirst;
  for (let hasMore = true; hasMore;) {
    const page = await readPage(http, feed.company, pagePath(100, cursor));
    walked.push(...page.resources.map(({ sequence }) => sequence));
    cursor = page.nextCursor ?? '';
    hasMore = page.hasMore;
  }
  const isWhole =
    walked.length === SHORT_FEED - 1 && walked.every((sequence, place) => sequence === place + 2);
  if (!isWhole) throw new Error(`the walk through the feed returned the entries ${walked.join(', ')}`);
}

/** Measures each way to read both feeds, in milliseconds; `ratio` is that of the medians, long to short. */
async function compareReads(
  http: HttpClient,
  [short, long]: readonly [Feed, Feed],
  options: Pick<Bench, 'report' | 'signal'> & { readonly samples: number },
) {
  const comparisons = [];
  for (const read of READS) {
    for (const feed of [short, long]) await expectEntries(http, feed, read);
    const contenders = [short, long].map((feed) => ({
      send: async (turn: number) => {
        await http.get(read.pathIn(feed, turn), feed.company.apiKey);
      },
    }));
    for (const atOnce of [1, AT_ONCE]) {
      const [ofShort = [], ofLong = []] = await measureInterleaved({
        contenders,
        rounds: options.samples,
        warmUpRounds: Math.min(options.samples, MOST_WARM_UP_ROUNDS),
        atOnce,
        signal: options.signal,
      });
      const summaries = { short: summarise(ofShort), long: summarise(ofLong) };
      const ratio = summaries.long.p50 / summaries.short.p50;
      comparisons.push({ read: read.name, atOnce, ...summaries, ratio });
      options.report(`read ${read.name}, ${atOnce} at once`);
    }
  }
  return comparisons;
}

async function expectEntries(http: HttpClient, feed: Feed, read: Read): Promise<void> {
  for (let turn = 0; turn < MIDDLES; turn += 1) {
    const { resources } = await readPage(http, feed.company, read.pathIn(feed, turn));
    if (resources.length !== read.entries) {
      throw new Error(`${read.name}: ${resources.length} entries instead of ${read.entries}`);
    }
  }
}

async function readPage(http: HttpClient, company: ApiInstaller, path: string) {
  return jobFeedResponse.parse(JSON.parse(await http.get(path, company.apiKey)));
}

function pagePath(limit: number, cursor?: string): string {
  return `/partner/v1/jobs?limit=${limit}${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
}
