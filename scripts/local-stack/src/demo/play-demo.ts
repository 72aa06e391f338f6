import { randomUUID } from 'node:crypto';
import { deliveryWithAttempts } from '@partner/proto-contracts/resources/delivery/delivery';
import { jobFeedResponse } from '@partner/proto-contracts/resources/feed-entry/feed-entry';
import { jobResponse } from '@partner/proto-contracts/resources/job/job';
import { leadCreated, leadMerged } from '@partner/proto-contracts/resources/lead/lead';
import { newId } from '@partner/kernel/process/ids';
import { paint } from '../terminal.js';
import { StackError } from '../stack-error.js';
import type { SandboxCompany, StackDescription } from '../stack/stack-description.js';
import { connectPlatform } from './platform.js';
import { createStackClient } from './stack-client.js';

/** The demo does not wait for a longer backoff. */
const LONGEST_WAIT_MS = 10_000;

type KeyKind = SandboxCompany['keys'][number]['kind'];

/**
 * Plays the main job on a running stack, from a lead to a verified webhook, and prints a line for each step. Throws {@link StackError} for
 * the first step that fails.
 */
export async function playDemo(demo: {
  readonly description: StackDescription;
  readonly retryBaseMs: number;
  readonly write: (text: string) => void;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { description, signal, write } = demo;
  const { call, ...client } = createStackClient(description, signal);
  /** Different in each run, so that the demo can run again on the same stack. */
  const run = randomUUID().slice(0, 8);
  const sales = companyWith(description, 'general');
  const installer = companyWith(description, 'installer-company');

  let steps = 0;
  async function step<T>(title: string, play: () => Promise<T>): Promise<T> {
    steps += 1;
    write(`${String(steps).padStart(2)}. ${title}`);
    try {
      const result = await play();
      write(paint('green', ' ✓\n'));
      return result;
    } catch (error) {
      write(paint('red', ' ✗\n'));
      throw new StackError(
        `step ${steps} (${title}) failed: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  const owner = await step(`The owner of ${installer.name} signs in at the console`, () =>
    client.signIn(installer),
  );
  const wanted = { events: ['install.*'], description: `demo ${run}` };
  const hook = `/demo/${run}`;
  const id = await step('The owner creates a webhook subscription to the example receiver', () =>
    client.subscribe(owner, hook, wanted),
  );
  await step('The owner sends a test delivery, which the receiver verifies', async () => {
    await client.sendTest(owner, id);
    demand((await client.webhook(hook, 'install.test')).verified === true, 'it did not verify');
  });
  await step('The owner activates the subscription', async () => {
    demand((await client.activate(owner, id)).state === 'active', 'it is not active');
  });

  const partner = { 'x-api-key': sales.apiKey };
  const house = `${1_000 + (Number.parseInt(run, 16) % 90_000)}`;
  const line1 = `${house} North Maple Street`;
  const phone = '+1 512 555 0142';
  const lead = { fullName: 'Casey Morgan', email: `casey.${run}@example.com`, phone };
  const address = `${line1}, Austin, TX 78701`;
  const keyed = { ...partner, 'idempotency-key': `demo-lead-${run}` };
  const hand = () => call('/inbound/leads', keyed, [201, leadCreated], { ...lead, address });
  const { data: made } = await step(`A partner of ${sales.name} creates a lead`, hand);
  await step('The partner repeats the request with the same Idempotency-Key: the same lead', async () => {
    const { data, response } = await hand();
    demand(data.leadId === made.leadId, 'it is another lead');
    demand(response.headers.get('idempotency-replayed') === 'true', 'the response is not a repeated one');
  });
  await step('Another lead for the same address, in another spelling, is merged', async () => {
    const other = { ...lead, address: `${house} n. maple st., austin tx 78701-2203` };
    const { data } = await call('/inbound/leads', partner, [200, leadMerged], other);
    demand(data.leadId === made.leadId, 'it is another lead');
  });

  const jobId = newId('job');
  const technician = { 'x-api-key': installer.apiKey };
  const before = await call('/partner/v1/jobs?limit=1', technician, [200, jobFeedResponse]);
  await step(`The platform creates a job and assigns it to ${installer.name}`, async () => {
    const platform = await connectPlatform(description.amqpUrl, signal);
    try {
      const customer = { name: lead.fullName, phone, line1, city: 'Austin', state: 'TX', zip: '78701' };
      await platform.createJob({ jobId, sellingCompanyId: sales.id, customer });
      await platform.assignJob(jobId, installer.id);
    } finally {
      await platform.close();
    }
  });
  const inFeed = (cursor: string | null, status: string) =>
    client.until('the job in the feed', async () => {
      const query = cursor === null ? '' : `?cursor=${encodeURIComponent(cursor)}`;
      const { data } = await call(`/partner/v1/jobs${query}`, technician, [200, jobFeedResponse]);
      const entry = data.resources.find(
        ({ resource }) => resource.id === jobId && resource.status === status,
      );
      return entry && { entry, next: data.nextCursor };
    });
  const found = await step('The installer finds the job in its change feed', () =>
    inFeed(before.data.nextCursor, 'ASSIGNED'),
  );
  await step('The installer reads the job', async () => {
    const { data } = await call(`/partner/v1/jobs/${jobId}`, technician, [200, jobResponse]);
    demand(
      JSON.stringify(data.resource) === JSON.stringify(found.entry.resource),
      'the feed had another one',
    );
  });
  const once = { ...technician, 'idempotency-key': `demo-status-${run}` };
  const report = {
    status: 'ACKNOWLEDGED',
    occurredAt: new Date().toISOString(),
    note: 'We received the job.',
  };
  const send = () =>
    call(`/partner/v1/jobs/${jobId}/status-events`, once, [201, jobResponse], {
      ...report,
      expectedVersion: found.entry.resource.version,
    });
  const reported = await step('The installer reports a status', send);
  await step('The installer repeats the report, as after a lost response: the same response', async () => {
    demand((await send()).response.text === reported.response.text, 'it is another one');
  });
  await step('The change feed contains the change, once', () => inFeed(found.next, 'ACKNOWLEDGED'));
  for (const event of ['install.job_assigned', 'install.status_changed'])
    await step(`The installer's server received ${event}, and verified it`, async () => {
      const received = await client.webhook(hook, event, (body) => body.includes(jobId));
      demand(received.verified === true, received.problem ?? 'it did not verify');
    });

  const failing = `/fail/503/1/demo-${run}`;
  const waits = demo.retryBaseMs <= LONGEST_WAIT_MS;
  const what = waits ? 'receives the webhook again' : `gets a retry in ${demo.retryBaseMs / 1_000} s`;
  await step(`A server that first returns 503 ${what}`, async () => {
    await client.sendTest(owner, await client.subscribe(owner, failing, wanted));
    const refused = await client.webhook(failing, 'install.test', (_, status) => status === 503);
    if (waits) await client.webhook(failing, 'install.test', (_, status) => status === 200);
    const path = `/partner-api/deliveries/${refused.headers['x-svc-delivery-id'] ?? ''}`;
    await client.until('the result in the console', async () => {
      const { data } = await call(path, owner, [200, deliveryWithAttempts]);
      return data.delivery.state === (waits ? 'delivered' : 'retry_scheduled');
    });
  });
  write('\nThe main job holds from end to end.\n');
}

function demand(holds: boolean, problem: string): void {
  if (!holds) throw new Error(problem);
}

function companyWith({ companies }: StackDescription, kind: KeyKind) {
  for (const company of companies) {
    const key = company.keys.find((candidate) => candidate.kind === kind);
    if (key !== undefined) return { ...company, apiKey: key.apiKey };
  }
  throw new StackError(`the sandbox has no company with a key of kind ${kind}`);
}
