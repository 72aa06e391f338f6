import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceName } from '@partner/local-stack/stack/services';
import type { SandboxCompany } from '@partner/local-stack/stack/stack-description';
import { jobResponse } from '@partner/proto-contracts/resources/job/job';
import { jobFeedResponse } from '@partner/proto-contracts/resources/feed-entry/feed-entry';
import { leadCreated } from '@partner/proto-contracts/resources/lead/lead';
import { newId } from '@partner/kernel/ids';
import type { HttpResponse, Call } from '@partner/test-kit/http-call';
import { call } from '../support/http-call.js';
import type { OwnerSession } from '../support/owner-session.js';
import { assignNewJob, publishNewJob } from '../support/platform-job.js';
import { apiKeyOf, type TestStack } from '../support/test-stack.js';

/** What a client does between two requests: not a wait for a state. */
const PACE_MS = 40;

/** As the console's page does before it opens its stream again, only faster. */
const STREAM_PACE_MS = 200;

/** What is written side by side. */
const JOBS = 4;

/** What the clients have done, and what of it has failed. */
export interface LoadReport {
  /** Every response that was not what it should be, and every request without a response. */
  readonly failures: readonly string[];
  readonly answers: Readonly<Record<'writes' | 'feedPages' | 'leads' | 'consoleReads' | 'streams', number>>;
  /** Status events that were acknowledged. */
  readonly written: readonly { readonly jobId: string; readonly version: number }[];
  /** Leads that were acknowledged. */
  readonly leadIds: readonly string[];
  /** Jobs that the broker has taken from the platform. */
  readonly platformJobIds: readonly string[];
  /** Every change of the installer's feed since the load began, read page after page while it ran, and then to the end. */
  readonly feed: readonly { readonly sequence: number; readonly jobId: string; readonly version: number }[];
}

/** Clients that go on until they are stopped. */
export interface SteadyLoad {
  /** Resolves once this many more status events have been acknowledged. */
  untilWritten(more: number): Promise<void>;
  /** Ends it when all that is in flight has come to its end. */
  stop(): Promise<LoadReport>;
}

/**
 * Begins a steady load on all five services: an installer's writes and feed, a selling company's leads, an owner's pages and
 * stream of changes, and the platform's messages. No client tries anything again: what fails has failed.
 */
export async function startSteadyLoad(options: {
  readonly stack: Pick<TestStack, 'publishFromPlatform' | 'database'>;
  readonly urlOf: (service: ServiceName) => string;
  readonly installer: SandboxCompany;
  readonly seller: SandboxCompany;
  readonly session: OwnerSession;
}): Promise<SteadyLoad> {
  const { stack, urlOf, installer, seller, session } = options;
  const installerKey = apiKeyOf(installer, 'installer-company');
  const baseUrl = urlOf('installer-gateway');
  const failures: string[] = [];
  const answers = { writes: 0, feedPages: 0, leads: 0, consoleReads: 0, streams: 0 };
  const written: LoadReport['written'][number][] = [];
  const leadIds: string[] = [];
  const platformJobIds: string[] = [];
  const feed: LoadReport['feed'][number][] = [];
  const watchers = new Set<() => void>();
  const stopping = new AbortController();

  /** Undefined when it has failed. */
  async function ask(
    what: string,
    expected: number,
    send: () => Promise<HttpResponse>,
  ): Promise<HttpResponse | undefined> {
    try {
      const answer = await send();
      if (answer.status === expected) return answer;
      failures.push(`${what}: ${answer.status} ${answer.text}`);
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
      failures.push(`${what}: ${String(error)}${cause}`);
    }
    return undefined;
  }
  async function goOn(work: () => Promise<void>, paceMs = PACE_MS): Promise<void> {
    while (!stopping.signal.aborted) {
      await work();
      await delay(paceMs);
    }
  }
  const asInstaller = (path: string, more: Call = {}) =>
    call(baseUrl, path, { ...more, headers: { 'x-api-key': installerKey, ...more.headers } });

  async function moveJob(job: { readonly id: string; version: number }): Promise<void> {
    const answer = await ask('a status event', 201, () =>
      asInstaller(`/partner/v1/jobs/${job.id}/status-events`, {
        method: 'POST',
        headers: { 'idempotency-key': newId('evt') },
        body: {
          status: job.version % 2 === 0 ? 'EN_ROUTE' : 'ON_SITE',
          occurredAt: new Date().toISOString(),
          expectedVersion: job.version,
        },
      }),
    );
    if (answer === undefined) {
      // Whether it counts is not known: the version is read again, so that one failure is one.
      const now = await ask('a job', 200, () => asInstaller(`/partner/v1/jobs/${job.id}`));
      if (now !== undefined) job.version = jobResponse.parse(now.json).resource.version;
      return;
    }
    job.version = jobResponse.parse(answer.json).resource.version;
    written.push({ jobId: job.id, version: job.version });
    answers.writes += 1;
    for (const watcher of watchers) watcher();
  }

  let cursor = '';
  async function readFeed(): Promise<boolean> {
    const answer = await ask('a page of the feed', 200, () =>
      asInstaller(
        `/partner/v1/jobs?limit=100${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      ),
    );
    if (answer === undefined) return false;
    const page = jobFeedResponse.parse(answer.json);
    cursor = page.nextCursor ?? cursor;
    feed.push(
      ...page.resources.map(({ sequence, resource }) => ({
        sequence,
        jobId: resource.id,
        version: resource.version,
      })),
    );
    answers.feedPages += 1;
    return page.hasMore;
  }

  async function makeLead(): Promise<void> {
    const answer = await ask('a lead', 201, () =>
      call(urlOf('inbound-gateway'), '/inbound/leads', {
        method: 'POST',
        headers: { 'x-api-key': apiKeyOf(seller, 'general'), 'idempotency-key': newId('evt') },
        body: {
          fullName: 'Ada Lovelace',
          email: 'ada@example.com',
          phone: '+1 512 555 0100',
          address: `${newId('evt')} Main Street, Austin, TX 78701`,
        },
      }),
    );
    if (answer === undefined) return;
    leadIds.push(leadCreated.parse(answer.json).leadId);
    answers.leads += 1;
  }

  const pages = ['/partner-api/webhooks', '/partner-api/statistics', '/partner-api/session'];
  async function readConsole(): Promise<void> {
    for (const path of pages) {
      if ((await ask(path, 200, () => session.call('GET', path))) !== undefined) answers.consoleReads += 1;
    }
  }

  /** That a stream ends is what the page expects of it; that it cannot be opened, or breaks, is a failure. */
  async function followStream(): Promise<void> {
    try {
      const answer = await fetch(`${urlOf('console')}/partner-api/changes`, {
        headers: session.headers,
        signal: stopping.signal,
      });
      if (answer.status !== 200) {
        failures.push(`the stream of changes: ${answer.status} ${await answer.text()}`);
        return;
      }
      answers.streams += 1;
      await answer.text();
    } catch (error) {
      if (!stopping.signal.aborted) failures.push(`the stream of changes: ${String(error)}`);
    }
  }

  async function playPlatform(): Promise<void> {
    platformJobIds.push(
      await publishNewJob(stack, { sellingCompanyId: seller.id, installerCompanyId: installer.id }),
    );
  }

  const jobs = await Promise.all(
    Array.from({ length: JOBS }, () =>
      assignNewJob(
        { ...stack, baseUrl },
        {
          sellingCompanyId: seller.id,
          installerCompanyId: installer.id,
          installerKey,
        },
      ),
    ),
  );
  for (const job of jobs) {
    const acknowledged = await asInstaller(`/partner/v1/jobs/${job.id}/status-events`, {
      method: 'POST',
      headers: { 'idempotency-key': newId('evt') },
      body: { status: 'ACKNOWLEDGED', occurredAt: new Date().toISOString(), expectedVersion: job.version },
    });
    if (acknowledged.status !== 201) throw new Error(`a job is not acknowledged: ${acknowledged.text}`);
  }
  while (await readFeed());
  feed.splice(0);

  const clients = [
    ...jobs.map(({ id, version }) => {
      const job = { id, version: version + 1 };
      return goOn(() => moveJob(job));
    }),
    goOn(async () => {
      await readFeed();
    }),
    // 600 in a minute are the limit of the inbound surface.
    goOn(makeLead, 150),
    goOn(readConsole, 3 * PACE_MS),
    goOn(followStream, STREAM_PACE_MS),
    goOn(playPlatform, 100),
  ];

  return {
    untilWritten(more) {
      const goal = written.length + more;
      return new Promise((resolve) => {
        const look = () => {
          if (written.length < goal) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
      });
    },
    async stop() {
      stopping.abort();
      await Promise.all(clients);
      while (await readFeed());
      return { failures, answers, written, leadIds, platformJobIds, feed };
    },
  };
}
