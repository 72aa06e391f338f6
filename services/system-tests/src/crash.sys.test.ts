import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { jobResponse, jobFeedResponse } from '@partner/proto-contracts/public-api/installer-job';
import type { SandboxCompany } from '@partner/local-stack/stack/stack-description';
import { newId } from '@partner/kernel/ids';
import { eventually } from '@partner/test-kit/eventually';
import type { z } from 'zod';
import { call, callUntilResponse } from './support/http-call.js';
import { createActiveSubscription, signIn } from './support/owner-session.js';
import { assignNewJob } from './support/platform-job.js';
import { apiKeyOf, startTestStack, type TestStack } from './support/test-stack.js';
import type { ReceivedWebhook } from './support/webhook-receiver.js';

const JOBS_PER_COMPANY = 10;
const EVENTS_PER_JOB = 10;
const EVENTS = 2 * JOBS_PER_COMPANY * EVENTS_PER_JOB;

/** An installer company with its active subscription to all installation events. */
interface Installer {
  readonly company: SandboxCompany;
  readonly apiKey: string;
  readonly secret: string;
}

/** A write that the service has acknowledged. */
interface Acknowledged {
  readonly jobId: string;
  readonly version: number;
  readonly status: string;
}

let stack: TestStack;
let installers: Installer[];

beforeAll(async () => {
  stack = await startTestStack({
    parts: { kind: 'private' },
    settings: { 'job-state': { WEBHOOK_RETRY_BASE_MS: '200', DELIVERY_LEASE_SECONDS: '20' } },
  });
  // Two hundred writes a minute are more than the standard limit lets through.
  await stack.database.query('update companies set installer_requests_per_minute = 100000');
  installers = await Promise.all(
    stack
      .companies('INSTALLER')
      .slice(0, 2)
      .map(async (company) => {
        const owner = await signIn(stack.baseUrl, company.owner);
        const { secret } = await createActiveSubscription(owner, {
          url: stack.receiverUrl,
          events: ['install.*'],
        });
        return { company, apiKey: apiKeyOf(company, 'installer-company'), secret };
      }),
  );
});

afterAll(async () => {
  await stack.stop();
});

describe('200 status events with one process killed in the middle and started again', () => {
  // The second column: after how many acknowledged writes.
  test.each([
    ['job-state', 61],
    ['installer-gateway', 17],
    ['inbound-gateway', 90],
    ['console', 120],
    ['webhook-dispatcher', 43],
    ['rabbitmq', 77],
    ['redis', 52],
    ['postgres', 109],
  ])(
    'survive kill -9 of %s: every acknowledged write is there once, in the feed once, and its webhook arrives [ERROR-10, HTTP-18]',
    async (victim, killAfter) => {
      const cursors = await Promise.all(installers.map((installer) => newestCursor(installer)));
      const jobs = await Promise.all(
        installers.flatMap((installer) =>
          Array.from({ length: JOBS_PER_COMPANY }, async () => ({
            installer,
            job: await assignNewJob(stack, {
              sellingCompanyId: sellingCompanyId(),
              installerCompanyId: installer.company.id,
              installerKey: installer.apiKey,
            }),
          })),
        ),
      );
      const others = stack.stack.processes.filter((process) => process.name !== victim);
      const pidsBefore = others.map((process) => process.pid);

      const acknowledged: Acknowledged[] = [];
      const uncertain: string[] = [];
      let restart: Promise<void> | undefined;
      const acknowledge = (write: Acknowledged) => {
        acknowledged.push(write);
        if (acknowledged.length === killAfter) restart = killAndStart(victim);
      };
      await Promise.all(
        jobs.map(({ installer, job }) =>
          moveJob({
            apiKey: installer.apiKey,
            jobId: job.id,
            version: job.version,
            acknowledge,
            onUncertain: (what) => uncertain.push(what),
          }),
        ),
      );
      expect(restart).toBeDefined();
      await restart;

      expect(acknowledged).toHaveLength(EVENTS);
      // What stands beside the writes' path must not be felt on it.
      if (['redis', 'console', 'inbound-gateway', 'webhook-dispatcher'].includes(victim)) {
        expect(uncertain).toEqual([]);
      }
      for (const { installer, job } of jobs) {
        const answer = await callUntilResponse(stack.baseUrl, `/partner/v1/jobs/${job.id}`, {
          headers: { 'x-api-key': installer.apiKey },
        });
        expect(jobResponse.parse(answer.json).resource.version).toBe(job.version + EVENTS_PER_JOB);
      }
      for (const [index, installer] of installers.entries()) {
        const entries = await readFeedAfter(installer, cursors[index]);
        const sequences = entries.map((entry) => entry.sequence);
        expect(sequences).toEqual(sequences.map((_, place) => (sequences[0] ?? 0) + place));
        const inFeed = entries.map(({ resource }) => `${resource.id} ${resource.version} ${resource.status}`);
        const written = acknowledged
          .filter(({ jobId }) => jobs.some(({ job, installer: of }) => of === installer && job.id === jobId))
          .map(({ jobId, version, status }) => `${jobId} ${version} ${status}`);
        expect(inFeed.filter((entry) => written.includes(entry)).sort()).toEqual(written.sort());
      }

      const key = (write: { jobId: string; version: number }) => `${write.jobId} ${write.version}`;
      const expected = new Set(acknowledged.map(key));
      const statusWebhooks = (received: readonly ReceivedWebhook[]) =>
        received.filter(
          ({ envelope }) =>
            envelope.event === 'install.status_changed' &&
            expected.has(key({ jobId: envelope.resource.id, version: envelope.resource.version })),
        );
      const arrived = (received: readonly ReceivedWebhook[]) =>
        new Set(
          statusWebhooks(received).map(({ envelope }) =>
            key({ jobId: envelope.resource.id, version: envelope.resource.version }),
          ),
        );
      await stack.receiver.waitUntil(
        `a webhook for each of the ${EVENTS} status events`,
        (received) => arrived(received).size === EVENTS,
      );
      const webhooks = statusWebhooks(stack.receiver.received);
      expect(new Set(webhooks.map(({ envelope }) => envelope.id)).size).toBe(EVENTS);
      expect(new Set(webhooks.map(({ body }) => body.toString('utf8'))).size).toBe(EVENTS);
      expect(new Set(webhooks.map(({ headers }) => headers['x-svc-delivery-id'])).size).toBe(webhooks.length);
      for (const webhook of webhooks) expect(signers(webhook)).toHaveLength(1);

      await eventually('the platform hears of each status event', () => {
        const heard = stack.receivedStatusChanges.filter((message) => expected.has(key(message)));
        return (
          new Set(heard.map(key)).size === EVENTS && new Set(heard.map((m) => m.messageId)).size === EVENTS
        );
      });

      expect(others.map((process) => process.pid)).toEqual(pidsBefore);
      await Promise.all(stack.stack.processes.map((process) => process.ready()));
    },
  );
});

function sellingCompanyId(): string {
  const [company] = stack.companies('SALES');
  if (company === undefined) throw new Error('the sandbox has no sales company');
  return company.id;
}

async function killAndStart(name: string): Promise<void> {
  const victim = stack.stack.process(name);
  await victim.kill('SIGKILL');
  await victim.start();
  await victim.ready();
}

async function moveJob(job: {
  readonly apiKey: string;
  readonly jobId: string;
  readonly version: number;
  readonly acknowledge: (write: Acknowledged) => void;
  readonly onUncertain: (what: string) => void;
}): Promise<void> {
  for (let event = 0; event < EVENTS_PER_JOB; event += 1) {
    const status = event === 0 ? 'ACKNOWLEDGED' : event % 2 === 1 ? 'EN_ROUTE' : 'ON_SITE';
    const answer = await callUntilResponse(
      stack.baseUrl,
      `/partner/v1/jobs/${job.jobId}/status-events`,
      {
        method: 'POST',
        headers: { 'x-api-key': job.apiKey, 'idempotency-key': newId('evt') },
        body: { status, occurredAt: new Date().toISOString(), expectedVersion: job.version + event },
      },
      job.onUncertain,
    );
    if (answer.status !== 201) throw new Error(`refused: ${answer.status} ${answer.text}`);
    const { resource } = jobResponse.parse(answer.json);
    job.acknowledge({ jobId: job.jobId, version: resource.version, status: resource.status });
  }
}

async function newestCursor(installer: Installer): Promise<string> {
  const answer = await callUntilResponse(stack.baseUrl, '/partner/v1/jobs?limit=1', {
    headers: { 'x-api-key': installer.apiKey },
  });
  return jobFeedResponse.parse(answer.json).nextCursor ?? '';
}

async function readFeedAfter(
  installer: Installer,
  cursor = '',
): Promise<z.infer<typeof jobFeedResponse>['resources']> {
  const answer = await call(
    stack.baseUrl,
    `/partner/v1/jobs?limit=100&cursor=${encodeURIComponent(cursor)}`,
    {
      headers: { 'x-api-key': installer.apiKey },
    },
  );
  const page = jobFeedResponse.parse(answer.json);
  return page.hasMore
    ? [...page.resources, ...(await readFeedAfter(installer, page.nextCursor ?? ''))]
    : page.resources;
}

/** The companies whose secret has made the signature of a webhook: exactly one, if it is right. */
function signers({ headers, body }: ReceivedWebhook): Installer[] {
  return installers.filter(({ secret }) => {
    const signed = createHmac('sha256', secret)
      .update(`${String(headers['x-svc-timestamp'])}.`)
      .update(body);
    return headers['x-svc-signature'] === `v1=${signed.digest('hex')}`;
  });
}
