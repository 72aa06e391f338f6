import { randomUUID } from 'node:crypto';
import { jobFeedResponse } from '@partner/proto-contracts/resources/feed-entry/feed-entry';
import { jobResponse } from '@partner/proto-contracts/resources/job/job';
import { leadCreated } from '@partner/proto-contracts/resources/lead/lead';
import { newId } from '@partner/kernel/process/ids';
import { paint } from '../terminal.js';
import { StackError } from '../stack-error.js';
import type { SandboxCompany, StackDescription } from '../stack/stack-description.js';
import { connectPlatform } from './platform.js';
import { createStackClient } from './stack-client.js';

type KeyKind = SandboxCompany['keys'][number]['kind'];

/**
 * Plays the main scenario on a running stack, from a lead to a verified webhook, and prints a line for each step. Throws {@link StackError} for
 * the first step that fails.
 */
export async function playDemo(demo: {
  readonly description: StackDescription;
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
  await step(`A partner of ${sales.name} creates a lead`, () =>
    call('/inbound/leads', keyed, [201, leadCreated], { ...lead, address }),
  );

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
  const once = { ...technician, 'idempotency-key': `demo-status-${run}` };
  const report = {
    status: 'ACKNOWLEDGED',
    occurredAt: new Date().toISOString(),
    note: 'We received the job.',
  };
  await step('The installer reports a status', () =>
    call(`/partner/v1/jobs/${jobId}/status-events`, once, [201, jobResponse], {
      ...report,
      expectedVersion: found.entry.resource.version,
    }),
  );
  await step('The change feed contains the change, once', () => inFeed(found.next, 'ACKNOWLEDGED'));
  for (const event of ['install.job_assigned', 'install.status_changed'])
    await step(`The installer's server received ${event}, and verified it`, async () => {
      const received = await client.webhook(hook, event, (body) => body.includes(jobId));
      demand(received.verified === true, received.problem ?? 'it did not verify');
    });
  write('\nThe main scenario works from end to end.\n');
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
