import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { runCommand } from '@partner/local-stack/run-command';
import { eventually } from '@partner/test-kit/eventually';
import { type Call, sendCall } from '@partner/test-kit/http-call';
import { parseJson } from '../output.js';
import {
  DEAD,
  document,
  field,
  messageIds,
  newCompany,
  publish,
  stack,
  subscribe,
  textAt,
} from './partnerctl-on-stack.js';

const AN_INSTANT = '2026-09-01T15:00:00Z';

/** A customer of two companies, with data wherever the service keeps any. Every personal text contains `word`. */
export async function newCustomer() {
  const word = `cn${randomBytes(8).toString('hex')}`;
  const [seller, installer] = [await newCompany('SALES'), await newCompany('INSTALLER')];
  const key = (owner: string, ...args: readonly string[]) =>
    field('apiKey', 'keys', 'create', owner, '--kind', ...args);
  const general = await key(seller, 'general');
  const ofInstaller = await key(installer, 'installer-company');
  const contractor = await key(seller, 'installer-contractor', '--bound-to', installer);
  const hook = await subscribe(installer, `/good/${installer}`);
  for (const step of ['test', 'activate']) await document('webhooks', step, hook);

  const send = async (apiKey: string, path: string, { headers, ...call }: Call = {}) => {
    const response = await sendCall(stack.description.baseUrl, path, {
      ...call,
      headers: { 'x-api-key': apiKey, 'idempotency-key': newId('evt'), ...headers },
    });
    expect([path, Math.floor(response.status / 100), response.text]).toEqual([path, 2, response.text]);
    return parseJson(response.text);
  };
  const post = (apiKey: string, path: string, body: unknown) => send(apiKey, path, { method: 'POST', body });
  const email = `ada.${word}@customers.example`;
  const street = `7 ${word} Street`;
  const lead = {
    fullName: `Ada ${word}`,
    email,
    phone: '+1 512 555 0100',
    address: `${street}, Austin, TX 78701`,
  };
  const leadId = textAt(await post(general, '/inbound/leads', lead), 'leadId');
  const merged = await post(general, '/inbound/leads', { ...lead, fullName: `A. ${word}` });
  const projectId = textAt(merged, 'projectId');
  const booking = {
    leadId,
    startsAt: AN_INSTANT,
    endsAt: '2026-09-01T16:00:00Z',
    idempotencyKey: newId('evt'),
  };
  await post(general, '/inbound/appointments', { ...booking, notes: `Ring ${word}\u202e` });

  const jobId = newId('job');
  const place = { line1: street, city: 'Austin', state: 'TX', zip: '78701' };
  const job = {
    ...{
      jobId,
      version: 1,
      sellingCompanyId: seller,
      projectId,
      workOrderNo: 'WO-1',
      occurredAt: AN_INSTANT,
    },
    customer: { name: `Ada ${word}`, phone: lead.phone, ...place },
    scope: { packageName: 'Comfort', systemType: 'HEAT_PUMP', scopeVersion: 1 },
  };
  await publish('JobCreated', job);
  await publish('JobAssigned', { jobId, version: 2, installerCompanyId: installer, occurredAt: AN_INSTANT });
  await eventually('the job', async () => {
    const response = await sendCall(stack.description.baseUrl, `/partner/v1/jobs/${jobId}`, {
      headers: { 'x-api-key': ofInstaller },
    });
    return response.status === 200;
  });
  const status = { status: 'ACKNOWLEDGED', occurredAt: new Date().toISOString(), expectedVersion: 1 };
  await post(ofInstaller, `/partner/v1/jobs/${jobId}/status-events`, { ...status, note: `met ${word}` });
  await post(contractor, `/inbound/jobs/${jobId}/status`, { note: `call ${word}` });
  // An installer cannot sell jobs.
  const messageId = newId('evt');
  const refused = { ...job, jobId: newId('job'), sellingCompanyId: installer };
  await publish('JobCreated', refused, '--message-id', messageId);
  await eventually('the dead letter', async () => (await messageIds()).includes(messageId));
  await eventually('the deliveries', async () => {
    const listed = await document('deliveries', 'list', hook);
    return JSON.stringify(listed).match(/"state":"delivered"/g)?.length === 3;
  });

  return {
    ...{ word, email, seller, leadId, projectId, jobId, messageId },
    /** Everything that the companies can read about the customer over the API. */
    async readApi(): Promise<string> {
      const paths = [
        [general, '/inbound/events?limit=100'],
        [contractor, '/inbound/jobs'],
        [ofInstaller, `/partner/v1/jobs/${jobId}`],
        [ofInstaller, '/partner/v1/jobs?from=start'],
        [ofInstaller, '/partner/v1/events?limit=100'],
      ] as const;
      const read = await Promise.all(paths.map(([apiKey, path]) => send(apiKey, path)));
      return JSON.stringify(read);
    },
    /** The customer's dead letter leaves its queue. */
    discardDeadLetter: () => document('dead-letters', 'discard', DEAD, messageId, '--yes'),
  };
}

/** The rows of the whole database, as text and as bytes, that contain a text in any case. */
export async function rowsWith(word: string): Promise<readonly string[]> {
  const args = ['--data-only', '--inserts', `--dbname=${stack.description.postgresUrl}`];
  const { exitCode, stdout } = await runCommand('pg_dump', args);
  expect(exitCode).toBe(0);
  const forms = [word, Buffer.from(word).toString('hex')];
  return stdout.split('\n').filter((line) => forms.some((form) => line.toLowerCase().includes(form)));
}
