import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { create, toJson } from '@bufbuild/protobuf';
import { JobCreatedSchema } from '@partner/proto-contracts/gen/partner/platform/v1/job_messages_pb';
import { newId } from '@partner/kernel/process/ids';
import { jobCreated } from '@partner/local-stack/demo/platform';
import { eventually } from '@partner/test-kit/eventually';
import { sendCall } from '@partner/test-kit/http-call';
import { type MailServer, startMailServer } from '@partner/test-kit/start-mail-server';
import { type Json, parseJson, valueAt } from './output.js';
import {
  DEAD,
  document,
  ended,
  field,
  messageIds,
  newCompany,
  publish,
  run as runWith,
  stack,
  textAt,
} from './testing/partnerctl-on-stack.js';
import { testCompanies } from './testing/test-companies.js';
import { testOperations } from './testing/test-operations.js';

let mail: MailServer;

beforeAll(async () => {
  mail = await startMailServer();
});
afterAll(() => mail.stop());

const NO_STACK = () => ['--directory', '/nonexistent', '--amqp-url', stack.description.amqpUrl];
const mailSettings = () => ({ SMTP_URL: mail.url, MAIL_FROM: 'partner-api@service.example' });
const noMailServer = () => ({ ...mailSettings(), SMTP_URL: 'smtp://127.0.0.1:1' });
const run = (args: readonly string[], env: Readonly<Record<string, string>> = mailSettings()) =>
  runWith(args, '', { env });

async function setContact(companyId: string, email: string): Promise<Json> {
  const set = await run(['--json', 'companies', 'update', companyId, '--technical-contact', email]);
  expect(set).toMatchObject({ exitCode: 0, err: '' });
  return parseJson(set.out);
}

async function confirmNewest(): Promise<number> {
  const [link = '', token = ''] =
    /http\S+\/console\/technical-contact\/confirm#(\S+)/.exec(mail.received.at(-1)?.message ?? '') ?? [];
  const { origin } = new URL(link);
  const { status } = await sendCall(origin, '/partner-api/technical-contact/confirm', {
    method: 'POST',
    headers: { origin },
    body: { token },
  });
  return status;
}

test('a technical contact is set by an operator and confirmed by the mailed link [ANNOUNCE-1, ANNOUNCE-5]', async () => {
  const companyId = await newCompany('SALES', 'Contacted');
  expect(await setContact(companyId, 'dev@contacted.example')).toMatchObject({
    technicalContact: { pending: { email: 'dev@contacted.example' } },
  });
  expect(mail.received.at(-1)).toMatchObject({ to: ['dev@contacted.example'] });
  expect(await confirmNewest()).toBe(204);
  expect(await confirmNewest()).toBe(404);
  const shown = await document('companies', 'show', companyId);
  expect(valueAt(shown, 'technicalContact.email')).toBe('dev@contacted.example');
  expect(valueAt(shown, 'technicalContact.pending')).toBeNull();
});

test('a technical contact whose link cannot be mailed is not set; the local stack writes it to a file', async () => {
  const companyId = await newCompany('SALES', 'Unreached');
  const update = ['companies', 'update', companyId, '--technical-contact', 'dev@unreached.example'];
  mail.refuse('dev@unreached.example');
  const refused = await run(update);
  mail.refuse(undefined);
  expect(refused).toMatchObject(ended(4, 'did not accept the email: SMTP 550'));
  const noServer = await run(update, noMailServer());
  expect(noServer).toMatchObject(ended(4, 'the mail server at 127.0.0.1:1'));
  expect(await document('companies', 'show', companyId)).toMatchObject({
    technicalContact: { email: null, pending: null },
  });

  const bare = await run([...NO_STACK(), ...update], { PUBLIC_BASE_URL: stack.description.baseUrl });
  expect(bare.exitCode).toBe(0);
  expect(bare.err).toContain('SMTP_URL is not set: no email was sent');
  await expect(run(update, {})).resolves.toMatchObject({ exitCode: 0, err: '' });
  expect(readFileSync(stack.description.mail?.logFile ?? '', 'utf8')).toMatch(
    /to dev@unreached\.example: .*\n {2}http:.*\/console\/technical-contact\/confirm#/,
  );
  expect((await run(update, { SMTP_URL: mail.url })).err).toContain(
    'MAIL_FROM: is not set, but is required with SMTP_URL',
  );
  expect((await run([...update.slice(0, -1), 'dev at unreached'])).exitCode).toBe(2);

  const mailed = mail.received.length;
  expect(await run([...update, '--accounting', 'cmp_unknown'])).toMatchObject(
    ended(2, '--technical-contact takes no other option'),
  );
  expect(mail.received).toHaveLength(mailed);
});

const announced = (of: readonly string[]) =>
  mail.received
    .filter(({ message }) => message.includes('Subject: Partner API: changes of 2026-08-26'))
    .flatMap(({ to }) => to)
    .filter((address) => of.includes(address));

test('an announcement is mailed once to each confirmed contact, continues after a refused address, and is listed, also with several runs at once [ANNOUNCE-8, ANNOUNCE-9, ANNOUNCE-10, ANNOUNCE-11, VERSION-3]', async () => {
  const contacts: string[] = [];
  const addContact = async (email: string) => {
    contacts.push(email);
    await setContact(await newCompany('SALES', email), email);
    expect(await confirmNewest()).toBe(204);
  };
  for (const name of ['one', 'refused', 'two']) await addContact(`${name}@announced.example`);
  await setContact(await newCompany('SALES', 'Unconfirmed'), 'unconfirmed@announced.example');

  const send = ['announcements', 'send', '2026-08-26'];
  const away = await run(send, noMailServer());
  expect(away).toMatchObject(ended(4, 'the mail server at 127.0.0.1:1'));
  expect(await document('announcements', 'list')).toMatchObject({ announcements: [] });

  // The server refuses the sender, not the first recipient.
  mail.refuseSender('partner-api@service.example');
  expect(await run(send)).toMatchObject(ended(4, 'SMTP 550'));
  mail.refuseSender(undefined);

  mail.refuse('refused@announced.example', 'DATA', 552);
  const partly = await run(send);
  mail.refuse(undefined);
  expect(partly.exitCode).toBe(1);
  expect(partly.out).toContain('SMTP 552');
  expect(announced(contacts)).toEqual(['one@announced.example', 'two@announced.example']);
  const text = mail.received.at(-1)?.message ?? '';
  expect(text).toContain('The first version of the installer API.');
  expect(text).toContain(`${stack.description.baseUrl}/docs`);

  await addContact('until@announced.example');
  for (const { exitCode, out } of await Promise.all([run(send), run(send), run(send)]))
    expect(exitCode).toBe(out.includes('claimed by another run') ? 1 : 0);
  expect((await run(send)).exitCode).toBe(0);
  expect([...announced(contacts)].sort()).toEqual([...contacts].sort());
  expect(announced(['unconfirmed@announced.example'])).toEqual([]);
  const listed = await run(['announcements', 'list', '--date', '2026-08-26']);
  for (const email of contacts) expect(listed.out).toContain(email);
});

test('webhooks and a technical contact are as a file has them: planned, applied once, changed in place, stopped at a failure, and pruned [CONFIG-2, CONFIG-3, CONFIG-4, CONFIG-5]', async () => {
  const companyId = await newCompany('INSTALLER');
  const { url } = stack.description.receiver;
  const technicalContact = `${companyId}@applied.example`;
  const file = (webhooks: readonly Json[]) =>
    JSON.stringify({ companies: { [companyId]: { technicalContact, webhooks } } });
  const board = { description: 'Board', url: `${url}/good/a`, events: ['install.*'], deliveriesPerSecond: 7 };
  const on = (input: string, ...args: readonly string[]) =>
    runWith([...args, '-f', '-'], input, { env: mailSettings() });
  await expect(on(file([board]), 'plan')).resolves.toMatchObject({
    exitCode: 5,
    out: expect.stringContaining('+ create "Board"'),
  });
  const created = await on(file([board]), 'apply', '--json');
  expect(created).toMatchObject({ exitCode: 0, err: '' });
  expect(created.out).not.toContain('whsec_');
  expect(mail.received.at(-1)).toMatchObject({ to: [technicalContact] });
  const hook = textAt(parseJson(created.out), 'steps.1.id');
  for (const command of ['plan', 'apply'])
    await expect(on(file([board]), command)).resolves.toMatchObject({
      exitCode: 0,
      out: '0 to create, 0 to change, 0 to delete, 0 not in the file, 2 unchanged\n',
    });

  const moved = [{ ...board, url: `${url}/good/b`, deliveriesPerSecond: null }];
  await expect(on(file(moved), 'apply')).resolves.toMatchObject({ exitCode: 0 });
  expect(await document('webhooks', 'list', companyId)).toMatchObject({
    subscriptions: [{ id: hook, url: `${url}/go…`, deliveriesPerSecond: null }],
  });
  const exported = await run(['export', companyId]);
  await expect(on(exported.out, 'plan')).resolves.toMatchObject({ exitCode: 0 });

  const broken = [
    ...moved,
    { ...board, description: 'Inside', url: 'https://10.0.0.1/' },
    { ...board, description: 'Last' },
  ];
  const stopped = await on(file(broken), 'apply', '--json');
  expect(stopped).toMatchObject(ended(1, 'apply again'));
  expect(parseJson(stopped.out)).toMatchObject({ steps: [{ outcome: 'failed' }, { outcome: 'not done' }] });
  const pruned = file(broken.slice(2));
  await expect(on(pruned, 'apply', '--prune')).resolves.toMatchObject({ exitCode: 2 });
  await expect(on(pruned, 'apply', '--prune', '--yes')).resolves.toMatchObject({ exitCode: 0 });
  expect(await document('webhooks', 'list', companyId)).toMatchObject({
    subscriptions: [{ description: 'Last', deliveriesPerSecond: 7 }],
  });
});

test('a customer is found, exported, and erased after a preview with its code; dead letters about the customer are named', async () => {
  const [seller, installer] = [await newCompany('SALES'), await newCompany('INSTALLER')];
  const apiKey = await field('apiKey', 'keys', 'create', seller, '--kind', 'general');
  const email = `ada.${seller}@customers.example`;
  const [name, phone] = ['Ada Quill', '+1 512 555 0177'];
  const lead = { fullName: name, email, phone, address: '7 Oak Street, Austin, TX 78701' };
  const post = { method: 'POST', headers: { 'x-api-key': apiKey }, body: lead };
  const made = await sendCall(stack.description.baseUrl, '/inbound/leads', post);
  const leadId = textAt(parseJson(made.text), 'leadId');
  // An installer cannot sell jobs.
  const customer = { name, phone, line1: '7 Oak Street', city: 'Austin', state: 'TX', zip: '78701' };
  const job = create(
    JobCreatedSchema,
    jobCreated({ jobId: newId('job'), sellingCompanyId: installer, customer }),
  );
  const messageId = newId('evt');
  await publish('JobCreated', toJson(JobCreatedSchema, job), '--message-id', messageId);
  await eventually('the dead letter', async () => (await messageIds()).includes(messageId));

  const about = ['--email', email.toUpperCase()];
  const found = await document('customers', 'find', ...about);
  expect(found).toMatchObject({ matches: [{ id: leadId }], deadLetters: [{ messageId }] });
  const exported = await runWith(['customers', 'export', '--id', leadId]);
  expect(valueAt(parseJson(exported.out), 'leads.0.email')).toBe(email);
  const preview = await document('customers', 'erase', ...about);
  const wrong = await runWith(['customers', 'erase', ...about, '--confirm', 'ffffffff']);
  expect(wrong).toMatchObject({ exitCode: 2 });
  expect(await document('customers', 'find', ...about)).toMatchObject({ matches: [{ id: leadId }] });
  const code = textAt(preview, 'confirm');
  const erased = await runWith(['--json', 'customers', 'erase', ...about, '--confirm', code]);
  // The dead letter is left.
  expect(erased).toMatchObject(ended(1, 'it continues if this command ends'));
  expect(valueAt(parseJson(erased.out), 'erasure')).toMatchObject({ leadIds: [leadId] });
  await document('dead-letters', 'discard', DEAD, messageId, '--yes');
  expect(await runWith(['customers', 'find', ...about])).toMatchObject({ exitCode: 3 });
  expect(JSON.stringify(await document('customers', 'erasures', '--limit', '1'))).toContain(leadId);
});

test('a company is exported line by line, and erased after a preview: its key ends, and it gets no other one [PERSON-9, CONFIG-7]', async () => {
  const companyId = await newCompany('SALES', 'Leaving\u202e');
  const apiKey = textAt(await document('keys', 'create', companyId, '--kind', 'general'), 'apiKey');
  const read = () =>
    sendCall(stack.description.baseUrl, '/inbound/events', { headers: { 'x-api-key': apiKey } });
  expect((await read()).status).toBe(200);
  const exported = await runWith(['companies', 'export', companyId]);
  const rows = exported.out.trimEnd().split('\n').map(parseJson);
  expect(rows).toContainEqual({
    table: 'companies',
    row: expect.objectContaining({ name: 'Leaving\u202e' }),
  });
  expect(exported.out).not.toMatch(/\u202e/);
  expect(exported.out).not.toContain('secret_sha256');
  expect(await document('companies', 'erase', companyId)).toMatchObject({ companyId, obstacles: [] });
  expect((await read()).status).toBe(200);
  const erased = await runWith(['--json', 'companies', 'erase', companyId, '--yes']);
  expect(valueAt(parseJson(erased.out), 'erasure')).toMatchObject({ companyId, finishedAt: null });
  await eventually('the end of its key', async () => (await read()).status === 401);
  expect(await runWith(['keys', 'create', companyId, '--kind', 'general'])).toMatchObject({ exitCode: 3 });
});

testCompanies();

testOperations();
