import { webhookEnvelope } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { jobFeedResponse } from '@partner/proto-contracts/resources/feed-entry/feed-entry';
import { jobResponse } from '@partner/proto-contracts/resources/job/job';
import { leadCreated, leadMerged } from '@partner/proto-contracts/resources/lead/lead';
import { newId } from '@partner/kernel/ids';
import { eventually } from '@partner/test-kit/eventually';
import { Webhook } from 'standardwebhooks';
import { bytesOf } from '../receiver/received-request.js';
import type { SandboxCompany } from '../stack/stack-description.js';
import { bodyOf, type Demo, headersOf } from './demo.js';
import type { DemoCaller } from './demo-caller.js';
import { connectPlatform } from './platform.js';
import type { DemoSubscription } from './play-subscription.js';

/** The customer of the lead. */
interface DemoCustomer {
  readonly name: string;
  readonly phone: string;
  readonly line1: string;
}

interface Participants {
  readonly sales: SandboxCompany;
  readonly installer: SandboxCompany;
  readonly lead: DemoCustomer;
  readonly hook: DemoSubscription;
}

/** Creates a lead, repeats the request with its key, and sends the address again in another spelling. */
export async function playLeads(
  { show, run }: Demo,
  sales: SandboxCompany,
  partner: DemoCaller,
): Promise<DemoCustomer> {
  const houseNumber = 1_000 + (Number.parseInt(run, 16) % 90_000);
  const line1 = `${houseNumber} North Maple Street`;
  const lead = {
    fullName: 'Casey Morgan',
    email: `casey.${run}@example.com`,
    phone: '+1 512 555 0142',
    address: `${line1}, Austin, TX 78701`,
  };
  const send = () =>
    partner.post('/inbound/leads', 201, leadCreated, lead, { 'idempotency-key': `demo-lead-${run}` });

  show.step(`A partner of ${sales.name} creates a lead`);
  const { data: created } = await send();
  show.prove(created.leadId.startsWith('lead_'), 'the lead is new: 201');

  show.step('The partner repeats the request with the same Idempotency-Key');
  const { data: replayed, response } = await send();
  show.prove(
    replayed.leadId === created.leadId && response.headers.get('idempotency-replayed') === 'true',
    'the service repeats the original response and creates no second lead',
  );

  show.step('Another lead for the same address, in another spelling');
  const { data: merged } = await partner.post('/inbound/leads', 200, leadMerged, {
    ...lead,
    fullName: 'C. Morgan',
    address: `${houseNumber} n. maple st., austin tx 78701-2203`,
  });
  show.prove(merged.leadId === created.leadId, 'leads are de-duplicated by normalised address: 200, merged');
  return { name: lead.fullName, phone: lead.phone, line1 };
}

/** Follows a job from its assignment by the platform to the webhook about the installer's report. */
export async function playJob(demo: Demo, participants: Participants, installer: DemoCaller): Promise<void> {
  const { show } = demo;
  show.step(`The platform creates a job and assigns it to ${participants.installer.name}`);
  const before = await installer.quietly('/partner/v1/jobs?limit=1', jobFeedResponse);
  const jobId = await assignJob(demo, participants);

  show.step('The installer finds the job in its change feed');
  const first = await nextEntry(demo, installer, { jobId, cursor: before.nextCursor });
  show.prove(
    first.entry.resource.status === 'ASSIGNED',
    `feed entry ${first.entry.sequence} holds the whole installer-safe projection`,
  );

  show.step('The installer reads the job');
  const { data: job } = await installer.get(`/partner/v1/jobs/${jobId}`, jobResponse);
  show.prove(
    JSON.stringify(job.resource) === JSON.stringify(first.entry.resource),
    'it is the same projection as in the feed, with no email, price or cost in it',
  );

  show.step("The installer's server received a webhook, too");
  const assigned = await demo.watcher.event(participants.hook.path, 'install.job_assigned', jobId);
  show.show('the receiver got', headersOf(assigned));
  show.show('body', bodyOf(assigned));
  show.prove(assigned.verified === true, 'install.job_assigned, verified');

  const version = await reportStatus(demo, installer, { jobId, version: job.resource.version });

  show.step('The change feed contains the change');
  const second = await nextEntry(demo, installer, { jobId, cursor: first.page.nextCursor, version });
  show.prove(
    second.entry.sequence > first.entry.sequence && second.entry.resource.status === 'ACKNOWLEDGED',
    'one entry for one change, after the cursor of the previous page',
  );
  await showWebhook(demo, participants.hook, { jobId, version });
}

async function assignJob(
  { description, signal, show }: Demo,
  { sales, installer, lead }: Participants,
): Promise<string> {
  const jobId = newId('job');
  const customer = { ...lead, city: 'Austin', state: 'TX', zip: '78701' };
  const platform = await connectPlatform(description.amqpUrl, signal);
  try {
    const created = await platform.createJob({ jobId, sellingCompanyId: sales.id, customer });
    show.show('published on exchange `platform`', created);
    show.show('published on exchange `platform`', await platform.assignJob(jobId, installer.id));
    show.prove(true, 'the broker has confirmed both messages');
  } finally {
    await platform.close();
  }
  return jobId;
}

/** Polls the feed for the next entry of a job, at a version if given. */
async function nextEntry(
  { signal }: Demo,
  installer: DemoCaller,
  wanted: { readonly jobId: string; readonly cursor: string | null; readonly version?: number },
) {
  const { jobId, cursor, version } = wanted;
  const path = `/partner/v1/jobs${cursor === null ? '' : `?cursor=${encodeURIComponent(cursor)}`}`;
  const found = await eventually(
    'the change feed shows the job',
    async () => {
      const page = await installer.quietly(path, jobFeedResponse);
      const entry = page.resources.find(
        ({ resource }) => resource.id === jobId && (version === undefined || resource.version === version),
      );
      return entry === undefined ? undefined : { page, entry };
    },
    { everyMs: 500, signal },
  );
  installer.showRead(path, '-> 200, the entry of the job', found.entry);
  return found;
}

/** Reports a status twice with one key; returns the job's new version. */
async function reportStatus(
  { show, run }: Demo,
  installer: DemoCaller,
  { jobId, version }: { readonly jobId: string; readonly version: number },
): Promise<number> {
  const body = {
    status: 'ACKNOWLEDGED',
    occurredAt: new Date().toISOString(),
    note: 'We received the job.',
    expectedVersion: version,
  };
  const report = () =>
    installer.post(`/partner/v1/jobs/${jobId}/status-events`, 201, jobResponse, body, {
      'idempotency-key': `demo-status-${run}`,
    });
  show.step('The installer reports a status');
  const { data: moved, response } = await report();
  show.prove(
    moved.resource.status === 'ACKNOWLEDGED' && moved.resource.version === version + 1,
    `the job is ACKNOWLEDGED, at version ${moved.resource.version}`,
  );

  show.step('The installer repeats the report, as after a lost response');
  const { response: repeated } = await report();
  show.prove(
    repeated.text === response.text && repeated.headers.get('idempotency-replayed') === 'true',
    'the same response, byte for byte, and no second effect',
  );
  return moved.resource.version;
}

async function showWebhook(
  { show, watcher }: Demo,
  hook: DemoSubscription,
  { jobId, version }: { readonly jobId: string; readonly version: number },
): Promise<void> {
  show.step('The webhook as the receiver received it');
  const webhook = await watcher.event(hook.path, 'install.status_changed', jobId);
  show.show('headers', headersOf(webhook));
  show.show('body', bodyOf(webhook));
  show.prove(
    webhook.verified === true && webhookEnvelope.parse(bodyOf(webhook)).resource.version === version,
    'x-svc-signature: HMAC-SHA256 over timestamp and raw body, verified by the receiver',
  );
  const rawBody = bytesOf(webhook);
  new Webhook(hook.secret).verify(rawBody, webhook.headers, { jsonParse: false });
  show.prove(true, 'webhook-signature: accepted by the stock verifier of Standard Webhooks');
  const tampered = Buffer.from(rawBody.toString('utf8').replace('ACKNOWLEDGED', 'COMPLETE'));
  show.prove(
    !isAccepted(hook.secret, tampered, webhook.headers),
    'the same body with one word changed: refused',
  );
}

function isAccepted(secret: string, body: Buffer, headers: Readonly<Record<string, string>>): boolean {
  try {
    new Webhook(secret).verify(body, headers, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}
