import { randomUUID } from 'node:crypto';
import {
  deliveryWithAttempts,
  delivery as deliverySchema,
} from '@partner/proto-contracts/resources/delivery/delivery';
import { sessionResponse } from '@partner/proto-contracts/resources/session/session';
import {
  subscription as subscriptionSchema,
  subscriptionCreated,
} from '@partner/proto-contracts/resources/subscription/subscription';
import { jobResponse } from '@partner/proto-contracts/resources/job/job';
import { jobFeedResponse } from '@partner/proto-contracts/resources/feed-entry/feed-entry';
import { leadCreated, leadMerged } from '@partner/proto-contracts/resources/lead/lead';
import { webhookEnvelope } from '@partner/proto-contracts/events/webhook-events';
import { newId } from '@partner/kernel/ids';
import { eventually } from '@partner/test-kit/eventually';
import type { HttpResponse } from '@partner/test-kit/http-call';
import { Webhook } from 'standardwebhooks';
import type { z } from 'zod';
import { readReceived } from '../receiver/read-received.js';
import type { ReceivedRequest } from '../receiver/received-request.js';
import { registerSecret } from '../receiver/register-secret.js';
import type { SandboxCompany, StackDescription } from '../stack/stack-description.js';
import { DemoError } from './demo-error.js';
import { type DemoCall, sendDemoCall } from './http-call.js';
import { createNarrator } from './narrator.js';
import { connectPlatform } from './platform.js';

/** A wait for a retry that is longer than this is shown, not waited for. */
const PATIENCE_MS = 10_000;

/**
 * Plays the main job on a running stack and shows each step: request, answer and what it proves. Everything it makes has
 * ids of its own, so that it can be played again on the same stack. Throws {@link DemoError} when a step does not hold.
 */
export async function playDemo(options: {
  readonly description: StackDescription;
  /** The stack's wait before a first retry. */
  readonly retryBaseMs: number;
  readonly write: (text: string) => void;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { description, signal, retryBaseMs } = options;
  const { baseUrl, receiver } = description;
  const show = createNarrator(options.write);
  const run = randomUUID().slice(0, 8);

  const { company: sales, apiKey: salesKey } = companyWithKey(description, 'general');
  const { company: installer, apiKey: installerKey } = companyWithKey(description, 'installer-company');

  async function call<S extends z.ZodType>(
    request: DemoCall,
    expected: number,
    schema: S,
  ): Promise<{ readonly data: z.infer<S>; readonly answer: HttpResponse }> {
    show.request(request);
    const answer = await sendDemoCall(baseUrl, request, signal);
    show.answer(answer);
    return { data: read(request, answer, expected, schema), answer };
  }

  async function quietly<S extends z.ZodType>(request: DemoCall, schema: S): Promise<z.infer<S>> {
    return read(request, await sendDemoCall(baseUrl, request, signal), 200, schema);
  }

  function received(path: string, isIt: (request: ReceivedRequest) => boolean, what: string) {
    return eventually(
      `the receiver gets ${what}`,
      async () => (await readReceived(receiver.logFile, path)).find(isIt),
      { everyMs: 100, signal },
    );
  }

  show.step(`The owner of ${installer.name} signs in at the console`);
  const origin = new URL(baseUrl).origin;
  const signedIn = await call(
    { method: 'POST', path: '/partner-api/session', headers: { origin }, body: installer.owner },
    200,
    sessionResponse,
  );
  const cookie = signedIn.answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  show.prove(signedIn.data.company.id === installer.id, `a session cookie for ${installer.name} was set`);
  const owner = { origin, cookie, 'content-type': 'application/json' };

  async function subscribe(path: string) {
    const { data: created } = await call(
      {
        method: 'POST',
        path: '/partner-api/webhooks',
        headers: owner,
        body: { url: `${receiver.url}${path}`, events: ['install.*'], description: `demo ${run}` },
      },
      201,
      subscriptionCreated,
    );
    const { id, secretVersion } = created.subscription;
    await registerSecret(receiver, {
      version: secretVersion,
      secret: created.secret,
      path,
      subscriptionId: id,
    });
    show.prove(
      created.subscription.state === 'paused',
      'it starts paused; its secret is shown this once, and was given to the receiver',
    );
    return { id, secret: created.secret };
  }
  const sendTest = (subscriptionId: string) =>
    call(
      { method: 'POST', path: `/partner-api/webhooks/${subscriptionId}/test`, headers: owner },
      202,
      deliverySchema,
    );

  show.step('The owner creates a webhook subscription to the example receiver');
  const hookPath = `/demo/${run}`;
  const hook = await subscribe(hookPath);

  show.step('The owner sends a test delivery');
  await sendTest(hook.id);
  const test = await received(hookPath, isEvent('install.test'), 'the test delivery');
  show.show('the receiver got', headersOf(test));
  show.prove(test.verified === true, 'the receiver verified both signatures over the raw bytes');

  show.step('The owner activates the subscription');
  const { data: activated } = await eventually(
    'the console learns of the test delivery',
    async () => {
      const path = `/partner-api/webhooks/${hook.id}`;
      return (await quietly({ method: 'GET', path, headers: owner }, subscriptionSchema)).verified;
    },
    { everyMs: 200, signal },
  ).then(() =>
    call(
      { method: 'POST', path: `/partner-api/webhooks/${hook.id}/activate`, headers: owner },
      200,
      subscriptionSchema,
    ),
  );
  show.prove(activated.state === 'active', 'it is active: a verified test delivery came first');

  show.step(`A partner of ${sales.name} hands in a lead`);
  const houseNumber = 1_000 + (Number.parseInt(run, 16) % 90_000);
  const lead = {
    fullName: 'Casey Morgan',
    email: `casey.${run}@example.com`,
    phone: '+1 512 555 0142',
    address: `${houseNumber} North Maple Street, Austin, TX 78701`,
  };
  const leadCall = {
    method: 'POST',
    path: '/inbound/leads',
    headers: { 'x-api-key': salesKey, 'idempotency-key': `demo-lead-${run}` },
    body: lead,
  } as const satisfies DemoCall;
  const { data: created } = await call(leadCall, 201, leadCreated);
  show.prove(created.leadId.startsWith('lead_'), 'the lead is new: 201');

  show.step('The same request once more, with the same Idempotency-Key');
  const replayed = await call(leadCall, 201, leadCreated);
  show.prove(
    replayed.data.leadId === created.leadId && replayed.answer.headers.get('idempotency-replayed') === 'true',
    'the original response is repeated, and no second lead is created',
  );

  show.step('Another lead for the same address, spelled another way');
  const { data: merged } = await call(
    {
      method: 'POST',
      path: '/inbound/leads',
      headers: { 'x-api-key': salesKey },
      body: {
        ...lead,
        fullName: 'C. Morgan',
        address: `${houseNumber} n. maple st., austin tx 78701-2203`,
      },
    },
    200,
    leadMerged,
  );
  show.prove(merged.leadId === created.leadId, 'leads are de-duplicated by normalised address: 200, merged');

  show.step(`The platform creates a job and assigns it to ${installer.name}`);
  const installerHeaders = { 'x-api-key': installerKey };
  const feedBefore = await quietly(
    { method: 'GET', path: '/partner/v1/jobs?limit=1', headers: installerHeaders },
    jobFeedResponse,
  );
  const jobId = newId('job');
  const platform = await connectPlatform(description.amqpUrl, signal);
  try {
    const customer = { name: lead.fullName, phone: lead.phone, line1: `${houseNumber} North Maple Street` };
    const place = { city: 'Austin', state: 'TX', zip: '78701' };
    show.show(
      'published on exchange `platform`',
      await platform.createJob({ jobId, sellingCompanyId: sales.id, customer: { ...customer, ...place } }),
    );
    show.show('published on exchange `platform`', await platform.assignJob(jobId, installer.id));
    show.prove(true, 'the broker has confirmed both messages');
  } finally {
    await platform.close();
  }

  const after = (cursor: string | null) =>
    `/partner/v1/jobs${cursor === null ? '' : `?cursor=${encodeURIComponent(cursor)}`}`;
  async function nextEntry(cursor: string | null, version?: number) {
    const request = { method: 'GET', path: after(cursor), headers: installerHeaders } as const;
    const found = await eventually(
      'the change feed shows the job',
      async () => {
        const page = await quietly(request, jobFeedResponse);
        const entry = page.resources.find(
          ({ resource }) => resource.id === jobId && (version === undefined || resource.version === version),
        );
        return entry === undefined ? undefined : { page, entry };
      },
      { everyMs: 500, signal },
    );
    show.request(request);
    show.show('-> 200, the entry of the job', found.entry);
    return found;
  }

  show.step('The installer finds the job in its change feed');
  const first = await nextEntry(feedBefore.nextCursor);
  show.prove(
    first.entry.resource.status === 'ASSIGNED',
    `feed entry ${first.entry.sequence} holds the whole installer-safe projection`,
  );

  show.step('The installer reads the job');
  const { data: job } = await call(
    { method: 'GET', path: `/partner/v1/jobs/${jobId}`, headers: installerHeaders },
    200,
    jobResponse,
  );
  show.prove(
    JSON.stringify(job.resource) === JSON.stringify(first.entry.resource),
    'it is the same projection as in the feed, with no email, price or cost in it',
  );

  show.step("The installer's server was told, too");
  const assigned = await received(
    hookPath,
    (request) => isEvent('install.job_assigned')(request) && resourceOf(request) === jobId,
    'install.job_assigned',
  );
  show.show('the receiver got', headersOf(assigned));
  show.show('body', bodyOf(assigned));
  show.prove(assigned.verified === true, 'install.job_assigned, verified');

  show.step('The installer reports a status');
  const statusCall = {
    method: 'POST',
    path: `/partner/v1/jobs/${jobId}/status-events`,
    headers: { ...installerHeaders, 'idempotency-key': `demo-status-${run}` },
    body: {
      status: 'ACKNOWLEDGED',
      occurredAt: new Date().toISOString(),
      note: 'We have it.',
      expectedVersion: job.resource.version,
    },
  } as const satisfies DemoCall;
  const moved = await call(statusCall, 201, jobResponse);
  show.prove(
    moved.data.resource.status === 'ACKNOWLEDGED' && moved.data.resource.version === job.resource.version + 1,
    `the job is ACKNOWLEDGED, at version ${moved.data.resource.version}`,
  );

  show.step('The same report once more, as after a lost response');
  show.request(statusCall);
  const repeated = await sendDemoCall(baseUrl, statusCall, signal);
  show.answer(repeated);
  show.prove(
    repeated.text === moved.answer.text && repeated.headers.get('idempotency-replayed') === 'true',
    'the same response, byte for byte, and no second effect',
  );

  show.step('The change feed has the move');
  const second = await nextEntry(first.page.nextCursor, moved.data.resource.version);
  show.prove(
    second.entry.sequence > first.entry.sequence && second.entry.resource.status === 'ACKNOWLEDGED',
    'one entry for one change, behind the cursor of the page before',
  );

  show.step('The webhook as the receiver got it');
  const webhook = await received(
    hookPath,
    (request) => isEvent('install.status_changed')(request) && resourceOf(request) === jobId,
    'install.status_changed',
  );
  const rawBody = Buffer.from(webhook.body, 'base64');
  show.show('headers', headersOf(webhook));
  show.show('body', bodyOf(webhook));
  const envelope = webhookEnvelope.parse(bodyOf(webhook));
  show.prove(
    webhook.verified === true && envelope.resource.version === moved.data.resource.version,
    'x-svc-signature: HMAC-SHA256 over timestamp and raw body, verified by the receiver',
  );
  new Webhook(hook.secret).verify(rawBody, webhook.headers, { jsonParse: false });
  show.prove(true, 'webhook-signature: accepted by the stock verifier of Standard Webhooks');
  const tampered = Buffer.from(rawBody.toString('utf8').replace('ACKNOWLEDGED', 'COMPLETE'));
  show.prove(!isAccepted(hook.secret, tampered, webhook.headers), 'the same with one word changed: refused');

  show.step('A server that fails at first gets it again');
  const failingPath = `/fail/503/1/demo-${run}`;
  const failing = await subscribe(failingPath);
  const { data: failingTest } = await sendTest(failing.id);
  const refused = await received(failingPath, ({ status }) => status === 503, 'the first attempt');
  show.show('the receiver returned 503 to', headersOf(refused));
  const waits = retryBaseMs <= PATIENCE_MS;
  const delivery = await eventually(
    'the console shows the result of the attempt',
    async () => {
      const path = `/partner-api/deliveries/${failingTest.id}`;
      const found = await quietly({ method: 'GET', path, headers: owner }, deliveryWithAttempts);
      return found.delivery.state === (waits ? 'delivered' : 'retry_scheduled') && found;
    },
    { everyMs: 250, signal },
  );
  show.request({ method: 'GET', path: `/partner-api/deliveries/${failingTest.id}`, headers: owner });
  show.show('-> 200', { delivery: delivery.delivery, attempts: delivery.attempts });
  if (waits) {
    const again = await received(failingPath, ({ status }) => status === 200, 'the second attempt');
    show.show('the receiver then returned 200 to', headersOf(again));
    show.prove(
      again.headers['webhook-id'] === refused.headers['webhook-id'] && again.body === refused.body,
      'the retry has the same event id and body',
    );
    show.prove(
      again.headers['x-svc-delivery-id'] !== refused.headers['x-svc-delivery-id'] && again.verified === true,
      'with a new delivery id, timestamp and signature, verified',
    );
    show.prove(
      delivery.attempts.length === 2,
      `the console shows both attempts; this stack waits ${retryBaseMs} ms before a first retry instead of 60 s`,
    );
  } else {
    show.prove(
      delivery.delivery.nextAttemptAt !== null,
      `the next attempt is scheduled for ${delivery.delivery.nextAttemptAt ?? ''}: this stack waits ${retryBaseMs / 1000} s` +
        ' before a first retry (a stack that the demo starts itself waits 2 s)',
    );
  }

  options.write('\nThe main job holds from end to end.\n');
}

function read<S extends z.ZodType>(
  request: DemoCall,
  answer: HttpResponse,
  expected: number,
  schema: S,
): z.infer<S> {
  const what = `${request.method} ${request.path}`;
  if (answer.status !== expected) {
    throw new DemoError(`${what} answered ${answer.status} instead of ${expected}: ${answer.text}`);
  }
  const result = schema.safeParse(answer.json);
  if (!result.success) throw new DemoError(`${what} returned another body: ${result.error.message}`);
  return result.data;
}

function companyWithKey(
  description: StackDescription,
  kind: SandboxCompany['keys'][number]['kind'],
): { readonly company: SandboxCompany; readonly apiKey: string } {
  for (const company of description.companies) {
    const key = company.keys.find((candidate) => candidate.kind === kind);
    if (key !== undefined) return { company, apiKey: key.apiKey };
  }
  throw new DemoError(`the sandbox has no company with a key of kind ${kind}`);
}

function isEvent(event: string): (request: ReceivedRequest) => boolean {
  return ({ headers }) => headers['x-svc-event'] === event;
}

function headersOf({ headers }: ReceivedRequest): Readonly<Record<string, string>> {
  const shown = Object.entries(headers).filter(([name]) =>
    /^(x-svc-|webhook-|content-type|traceparent)/.test(name),
  );
  return Object.fromEntries(shown);
}

function bodyOf({ body }: ReceivedRequest): unknown {
  return JSON.parse(Buffer.from(body, 'base64').toString('utf8'));
}

function resourceOf(request: ReceivedRequest): string {
  return webhookEnvelope.parse(bodyOf(request)).resource.id;
}

function isAccepted(secret: string, body: Buffer, headers: Readonly<Record<string, string>>): boolean {
  try {
    new Webhook(secret).verify(body, headers, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}
