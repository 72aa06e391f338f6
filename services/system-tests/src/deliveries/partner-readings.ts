import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { SandboxCompany } from '@partner/local-stack/stack/stack-description';
import { eventFeed } from '@partner/proto-contracts/resources/event-feed/event-feed';
import { webhookEnvelope } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { jobFeedResponse } from '@partner/proto-contracts/resources/feed-entry/feed-entry';
import type { InstallerJob } from '@partner/proto-contracts/resources/job/job';
import { manifest } from '@partner/proto-contracts/resources/manifest/manifest';
import type { Call, HttpResponse } from '@partner/test-kit/http-call';
import { apiKeyOf } from '../support/test-stack.js';
import { isSignedWith } from '../support/webhook-signatures.js';

/** How often a partner reads on. */
const EVERY_MS = 500;

/** One entry that a partner has read, by its place among those that it has read in this way. */
export interface ReadEntry {
  readonly company_id: string;
  readonly way: 'jobs' | 'events' | 'manifest';
  /** By its cursor while it was written, or from its start once all was over. */
  readonly reader: 'follower' | 'latecomer';
  readonly place: number;
  readonly number: number;
  readonly subscription_id?: string;
  readonly event_id?: string;
  readonly name?: string;
  readonly resource_id?: string;
  readonly resource_version?: number;
  readonly body_sha256?: string;
  readonly outcome?: string;
  /** Whether the key of the reader has made its signatures; absent: it has none. */
  readonly is_signed?: boolean;
}

type FoundEntry = Omit<ReadEntry, 'company_id' | 'way' | 'reader' | 'place'>;
type Send = (path: string, request: Call) => Promise<HttpResponse>;

interface Page {
  readonly entries: readonly FoundEntry[];
  readonly next: string | null;
  readonly hasMore: boolean;
}

/** A company with the key that reads its feeds. */
export interface PartnerCompany {
  readonly id: string;
  readonly class: SandboxCompany['class'];
  readonly apiKey: string;
}

interface Feed {
  readonly company: PartnerCompany;
  readonly way: 'jobs' | 'events';
  readonly path: string;
}

export const partnerCompany = (company: SandboxCompany): PartnerCompany => ({
  id: company.id,
  class: company.class,
  apiKey: apiKeyOf(company, company.class === 'INSTALLER' ? 'installer-company' : 'general'),
});

/** Partners that follow the feeds of their companies. */
export interface PartnerReaders {
  /** Reads to the end of all feeds, then all of them again from their start, and the manifests. Rejects with the first failure. */
  finish(
    subscriptions: readonly { readonly id: string; readonly companyId: string }[],
  ): Promise<readonly ReadEntry[]>;
}

/** Begins to follow the feeds of companies, each by its key and its cursor. */
export function followFeeds(companies: readonly PartnerCompany[], send: Send): PartnerReaders {
  const beganAt = new Date();
  const feeds = companies.flatMap(feedsOf);
  const followers = feeds.map((feed) => feedReader(feed, 'follower', send));
  const end = new AbortController();
  const following = Promise.allSettled(
    followers.map(async ({ readOn }) => {
      while (!end.signal.aborted) {
        await readOn();
        await delay(EVERY_MS, undefined, { signal: end.signal }).catch(() => undefined);
      }
      await readOn();
    }),
  );
  return {
    async finish(subscriptions) {
      end.abort();
      for (const follower of await following) if (follower.status === 'rejected') throw follower.reason;
      const latecomers = feeds.map((feed) => feedReader(feed, 'latecomer', send));
      await Promise.all(latecomers.map(({ readOn }) => readOn()));
      const manifests = await Promise.all(
        subscriptions.flatMap((subscription) => {
          const feed = feeds.find(
            ({ way, company }) => way === 'events' && company.id === subscription.companyId,
          );
          return feed === undefined ? [] : [readManifest(feed, subscription.id, beganAt, send)];
        }),
      );
      return [...[...followers, ...latecomers].flatMap(({ entries }) => entries), ...manifests.flat()];
    },
  };
}

function feedsOf(company: PartnerCompany): readonly Feed[] {
  if (company.class !== 'INSTALLER') return [{ company, way: 'events', path: '/inbound/events' }];
  return [
    { company, way: 'jobs', path: '/partner/v1/jobs' },
    { company, way: 'events', path: '/partner/v1/events' },
  ];
}

function feedReader(feed: Feed, reader: ReadEntry['reader'], send: Send) {
  const { company, way, path } = feed;
  const entries: ReadEntry[] = [];
  let query = way === 'jobs' ? 'from=start' : '';
  return {
    entries,
    async readOn(): Promise<void> {
      for (let hasMore = true; hasMore;) {
        const headers = { 'x-api-key': company.apiKey };
        const { json } = await send(`${path}?limit=100&${query}`, { headers });
        const page = way === 'jobs' ? jobPage(json) : eventPage(json, company.apiKey);
        for (const entry of page.entries)
          entries.push({ ...entry, company_id: company.id, way, reader, place: entries.length + 1 });
        if (page.next !== null) query = `cursor=${encodeURIComponent(page.next)}`;
        ({ hasMore } = page);
      }
    },
  };
}

function jobPage(json: unknown): Page {
  const { resources, nextCursor, hasMore } = jobFeedResponse.parse(json);
  const entries = resources.map(({ sequence, resource }) => {
    return {
      ...{ number: sequence, resource_id: resource.id, resource_version: resource.version },
      body_sha256: contentHash(resource),
    };
  });
  return { entries, next: nextCursor, hasMore };
}

function eventPage(json: unknown, apiKey: string): Page {
  const { events, nextCursor, hasMore } = eventFeed.parse(json);
  const entries = events.map(({ sequence, headers, body: text }) => {
    const body = Buffer.from(text);
    const { id, event, resource } = webhookEnvelope.parse(JSON.parse(text));
    return {
      ...{ number: sequence, event_id: id, name: event },
      ...{ resource_id: resource.id, resource_version: resource.version },
      body_sha256: createHash('sha256').update(body).digest('hex'),
      is_signed: isSignedWith(secretOf(apiKey), { headers, body }),
    };
  });
  return { entries, next: nextCursor, hasMore };
}

async function readManifest(
  { company, path }: Feed,
  subscriptionId: string,
  from: Date,
  send: Send,
): Promise<readonly ReadEntry[]> {
  const surface = path.replace(/\/events$/, '');
  const span = `from=${from.toISOString()}&to=${new Date().toISOString()}`;
  const read: ReadEntry[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const request = { headers: { 'x-api-key': company.apiKey } };
    const page = await send(`${surface}/webhooks/${subscriptionId}/manifest?${span}${after}`, request);
    const signed = { headers: Object.fromEntries(page.headers), body: Buffer.from(page.text) };
    const { entries, nextCursor } = manifest.parse(page.json);
    for (const { number, eventId, event, outcome } of entries)
      read.push({
        ...{ company_id: company.id, subscription_id: subscriptionId, way: 'manifest', reader: 'latecomer' },
        ...{ place: read.length + 1, number: number ?? 0, event_id: eventId, name: event, outcome },
        is_signed: isSignedWith(secretOf(company.apiKey), signed),
      });
    cursor = nextCursor;
  }
  return read;
}

/** A job as {@link ReadEntry.body_sha256} has it. */
export const contentHash = (job: InstallerJob) =>
  createHash('sha256').update(JSON.stringify(job)).digest('hex');

const secretOf = (apiKey: string) => `whsec_${Buffer.from(apiKey).toString('base64')}`;
