import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceName } from '@partner/local-stack/stack/services';
import { jobResponse } from '@partner/proto-contracts/resources/job/job';
import { leadCreated } from '@partner/proto-contracts/resources/lead/lead';
import { newId } from '@partner/kernel/ids';
import { eventually } from '@partner/test-kit/eventually';
import type { HttpResponse } from '@partner/test-kit/http-call';
import type { AcknowledgedWrite } from '../deliveries/delivery-history.js';
import { call } from '../support/http-call.js';
import type { OwnerSession } from '../support/owner-session.js';
import { assignSandboxJob, publishNewJob } from '../support/platform-job.js';
import { apiKeyOf, type TestStack } from '../support/test-stack.js';

/** What a client does between two requests: not a wait for a state. */
const PACE_MS = 40;

/** Jobs that are written in parallel. */
const JOBS = 4;

/** What the clients have done, and what of it has failed. */
export interface LoadReport {
  /** Every response that was not what it should be, and every request without a response. */
  readonly failures: readonly string[];
  readonly reads: number;
  /** Acknowledged status events. */
  readonly writes: readonly AcknowledgedWrite[];
  /** Acknowledged leads. */
  readonly leadIds: readonly string[];
  /** Jobs that the broker has confirmed to the platform. */
  readonly platformJobIds: readonly string[];
}

/** Clients that go on until they are stopped. */
export interface SteadyLoad {
  /** Resolves once this many more status events have been acknowledged. */
  untilWritten(more: number): Promise<void>;
  /** Ends the load once every request has its response. */
  stop(): Promise<LoadReport>;
}

/**
 * Begins a steady load on all five services: an installer's writes and reads, a selling company's leads, an owner's pages, and
 * the platform's messages. No client retries: what fails has failed.
 */
export async function startSteadyLoad(options: {
  readonly stack: TestStack;
  readonly urlOf: (service: ServiceName) => string;
  readonly session: OwnerSession;
}): Promise<SteadyLoad> {
  const { stack, urlOf, session } = options;
  const [installer, seller] = [stack.company('INSTALLER'), stack.company('SALES')];
  const installerKey = apiKeyOf(installer, 'installer-company');
  const baseUrl = urlOf('installer-gateway');
  const failures: string[] = [];
  let reads = 0;
  const writes: AcknowledgedWrite[] = [];
  const leadIds: string[] = [];
  const platformJobIds: string[] = [];
  let isOver = false;

  /** Undefined if it has failed. */
  async function expectStatus(
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
  async function repeat(work: () => Promise<void>, paceMs = PACE_MS): Promise<void> {
    while (!isOver) {
      await work();
      await delay(paceMs);
    }
  }
  const post = (url: string, path: string, apiKey: string, body: unknown) =>
    call(url, path, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'idempotency-key': newId('evt') },
      body,
    });

  /** Creates a job, and returns its next write. */
  async function writer(): Promise<() => Promise<void>> {
    const job = await assignSandboxJob({ ...stack, baseUrl });
    let { version } = job;
    let status = 'ACKNOWLEDGED';
    return async () => {
      const sentAt = Date.now();
      const body = { status, occurredAt: new Date().toISOString(), expectedVersion: version };
      const answer = await expectStatus('a status event', 201, () =>
        post(baseUrl, `/partner/v1/jobs/${job.id}/status-events`, installerKey, body),
      );
      if (answer === undefined) return;
      ({ version } = jobResponse.parse(answer.json).resource);
      status = status === 'EN_ROUTE' ? 'ON_SITE' : 'EN_ROUTE';
      const told = { name: 'install.status_changed', resourceId: job.id, resourceVersion: version };
      writes.push({ companyId: installer.id, sentAt, answeredAt: Date.now(), tells: [told] });
    };
  }

  async function handInLead(): Promise<void> {
    const lead = {
      fullName: 'Ada Lovelace',
      email: 'ada@example.com',
      phone: '+1 512 555 0100',
      address: `${newId('evt')} Main Street, Austin, TX 78701`,
    };
    const answer = await expectStatus('a lead', 201, () =>
      post(urlOf('inbound-gateway'), '/inbound/leads', apiKeyOf(seller, 'general'), lead),
    );
    if (answer !== undefined) leadIds.push(leadCreated.parse(answer.json).leadId);
  }

  const read = (send: () => Promise<HttpResponse>) => async () => {
    if ((await expectStatus('a read', 200, send)) !== undefined) reads += 1;
  };

  async function playPlatform(): Promise<void> {
    const job = { sellingCompanyId: seller.id, installerCompanyId: installer.id };
    platformJobIds.push(await publishNewJob(stack, job));
  }

  const writers = await Promise.all(Array.from({ length: JOBS }, () => writer()));
  const clients = [
    ...writers.map((write) => repeat(write)),
    repeat(read(() => call(baseUrl, '/partner/v1/jobs', { headers: { 'x-api-key': installerKey } }))),
    repeat(
      read(() => session.call('GET', '/partner-api/webhooks')),
      3 * PACE_MS,
    ),
    // 600 in a minute are the limit of the inbound surface.
    repeat(handInLead, 150),
    repeat(playPlatform, 100),
  ];

  return {
    async untilWritten(more) {
      const goal = writes.length + more;
      await eventually(`${more} more status events`, () => writes.length >= goal);
    },
    async stop() {
      isOver = true;
      await Promise.all(clients);
      return { failures, reads, writes, leadIds, platformJobIds };
    },
  };
}
