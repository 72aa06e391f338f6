import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { registerSecret } from '@partner/local-stack/receiver/known-secrets';
import { runCommand } from '@partner/local-stack/run-command';
import { eventually } from '@partner/test-kit/eventually';
import { sendCall } from '@partner/test-kit/http-call';
import { parseJson, valueAt } from './output.js';
import {
  DEAD,
  document,
  ended,
  field,
  MAIN,
  messageIds,
  newCompany,
  newJob,
  refused,
  run,
  stack,
  subscribe,
  textAt,
} from './testing/partnerctl-on-stack.js';

async function ends(exitCode: number, ...args: readonly string[]) {
  await expect(run(args)).resolves.toMatchObject({ exitCode });
}

const finding = (check: string, verdict: string): unknown => expect.objectContaining({ check, verdict });

test('companies, owners and keys are created, changed, linked and shown, secrets once, and an owner signs in until disabled', async () => {
  const books = await newCompany('ACCOUNTING', 'Books');
  const seller = await newCompany('SALES', 'Sunny\u00a0Homes');
  const updated = await document(
    ...['companies', 'update', seller, '--name', 'Sunny', '--accounting', books, '--delivery-weight', '4'],
  );
  expect(valueAt(updated, 'company')).toMatchObject({
    name: 'Sunny',
    class: 'SALES',
    deliveryWeight: 4,
    accountingCompanyIds: [books],
  });
  await ends(2, 'companies', 'update', seller);
  const unlinked = await document('companies', 'update', seller, '--accounting', 'none');
  expect(valueAt(unlinked, 'company.accountingCompanyIds')).toEqual([]);
  await ends(1, 'companies', 'update', seller, '--name', ' ');
  await ends(3, 'companies', 'show', newId('cmp'));

  const email = `${seller}@sunny.example`;
  const made = await document('owners', 'create', seller, '--name', 'Olive', '--email', email);
  const owner = textAt(made, 'owner.membershipId');
  const password = textAt(made, 'password');
  const { baseUrl } = stack.description;
  const post = { method: 'POST', headers: { origin: baseUrl } } as const;
  const signIn = (text: string) =>
    sendCall(baseUrl, '/partner-api/session', { ...post, body: { email, password: text } });
  const session = await signIn(password);
  expect(session.status).toBe(200);
  const set = await run(
    ['--json', 'owners', 'set-password', owner, '--password-stdin'],
    'battery staple horse\n',
  );
  expect(set).toMatchObject({ exitCode: 0 });
  expect(set.out).not.toContain('battery');
  expect((await signIn('battery staple horse')).status).toBe(200);
  expect((await signIn(password)).status).toBe(401);
  await document('owners', 'disable', owner);
  expect((await signIn('battery staple horse')).status).toBe(401);
  await document('owners', 'enable', owner);
  expect((await signIn('battery staple horse')).status).toBe(401);
  await run(['owners', 'set-password', owner, '--password-stdin'], 'staple horse battery\n');
  expect((await signIn('staple horse battery')).status).toBe(200);

  const apiKey = await field('apiKey', 'keys', 'create', seller, '--kind', 'general');
  const keyId = apiKey.split('.')[0] ?? '';
  const rotated = await document('keys', 'rotate', keyId, '--overlap-hours', '1');
  expect(valueAt(rotated, 'previous.id')).toBe(keyId);
  const newKey = textAt(rotated, 'key.id');
  const atOnce = ['keys', 'rotate', newKey, '--overlap-hours', '0'];
  await expect(run(atOnce)).resolves.toMatchObject(
    ended(2, `ends the key ${newKey} of ${seller} immediately`),
  );
  expect(valueAt(await document(...atOnce, '--yes'), 'previous.id')).toBe(newKey);
  await ends(2, 'keys', 'revoke', keyId);
  await document('keys', 'revoke', keyId, '--yes');
  const shown = await run(['companies', 'show', seller]);
  expect(shown.out).toContain('revoked');
  expect(shown.out).toContain('Olive');
  expect(shown.out).not.toContain(apiKey);

  const cookie = session.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const { status, text } = await sendCall(baseUrl, '/partner-api/audit-entries', { headers: { cookie } });
  expect({ status, text }).toMatchObject({ status: 200 });
  expect(text).toContain('"actor":{"membershipId":null,"displayName":"operator: olga"}');
  for (const action of ['company.created', 'company.updated', 'owner.created', 'api_key.revoked']) {
    expect(text).toContain(`"${action}"`);
  }
});

test('webhooks and deliveries are created, tested, activated, replayed one by one and in bulk, explained and deleted', async () => {
  const seller = await newCompany('SALES');
  const installer = await newCompany('INSTALLER');
  const hook = await subscribe(installer, `/good/${installer}`);
  await ends(1, 'webhooks', 'activate', hook);
  const tested = await document('webhooks', 'test', hook);
  expect(valueAt(tested, 'delivery.state')).toBe('delivered');
  expect(JSON.stringify(tested)).not.toContain('responseBody');
  expect(valueAt(await document('subscriptions', 'activate', hook), 'subscription.state')).toBe('active');
  expect(valueAt(await document('companies', 'show', installer), 'subscriptions.0.id')).toBe(hook);
  const update = ['webhooks', 'update', hook, '--headers-file', '-', '--rate'];
  const limited = await run([...update, '500'], 'X-Tenant: west\nAuthorization: Bearer abc\n');
  expect(limited.out).toMatch(/^headers +authorization, x-tenant\ndeliveries per second +500$/m);
  const unlimited = await run([...update, 'none'], 'x-tenant:');
  expect(unlimited.out).toMatch(/^headers +authorization\n(?!deliveries)/m);
  const failing = await subscribe(installer, `/fail/503/1/${installer}`);
  await ends(1, 'webhooks', 'test', failing);

  const jobId = await newJob(seller, installer);
  const delivery = await eventually('a delivery', async () => {
    const args = ['deliveries', 'list', hook, '--resource', jobId, '--state', 'delivered'];
    const id = valueAt(await document(...args), 'deliveries.0.id');
    return typeof id === 'string' && id;
  });
  const found = await document('deliveries', 'list', installer, '--search', delivery);
  expect(found).toMatchObject({ deliveries: [{ id: delivery, subscriptionId: hook }] });
  const shown = await document('deliveries', 'show', delivery);
  expect(shown).toMatchObject({ companyId: installer, delivery: { event: 'install.job_assigned' } });
  expect(valueAt(shown, 'body')).toBeUndefined();
  expect(JSON.stringify(shown)).not.toContain('Casey');
  const attempt = textAt(shown, 'attempts.0.deliveryId');
  const body = await document('deliveries', 'show', attempt, '--body');
  expect(valueAt(body, 'body.resource.id')).toBe(jobId);
  expect(valueAt(body, 'attempts.0.responseBody')).toBeDefined();

  const replay = await document('deliveries', 'replay', attempt, '--wait', '120');
  expect(valueAt(replay, 'delivery.replayOf')).toBe(delivery);
  expect(valueAt(replay, 'attempts.0.outcome')).toBe('delivered');
  expect(JSON.stringify(replay)).not.toContain('responseBody');
  const bulk = ['deliveries', 'replay-bulk', hook, '--since', '1h', '--state', 'delivered'];
  const preview = await document(...bulk);
  expect(valueAt(preview, 'preview')).toMatchObject({ deliveries: 1, resourceCount: 1 });
  const done = await document(...bulk, '--yes');
  expect(valueAt(done, 'replay')).toMatchObject({ state: 'done', queued: 1 });
  expect(await field('replay.kind', 'deliveries', 'show-bulk', textAt(done, 'replay.id'))).toBe('replay');

  const event = await field('events.0.id', 'events', 'list', installer, '--resource', jobId);
  const trail = await document('events', 'show', event);
  expect(valueAt(trail, 'subscriptions')).toMatchObject([
    { subscriptionId: hook, verdict: 'queued' },
    { subscriptionId: failing, verdict: 'paused' },
  ]);
  expect((await run(['events', 'show', event])).out).toContain('not queued: the subscription was paused');
  const again = await document('events', 'replay', hook, '--ids', event, '--yes');
  expect(valueAt(again, 'replays')).toMatchObject([{ subscriptionId: hook, kind: 'events', total: 1 }]);

  const { out } = await run(['--json', 'webhooks', 'rotate-secret', hook]);
  const value = { version: 2, secret: textAt(parseJson(out), 'secret'), path: `/good/${installer}` };
  await registerSecret(stack.description.receiver, value);
  await document('webhooks', 'test', hook, '--secret-version', '2');
  const activated = await document('webhooks', 'activate-secret', hook, '--secret-version', '2');
  expect(valueAt(activated, 'subscription.secretVersion')).toBe(2);
  expect(await document('webhooks', 'pause', hook)).toMatchObject({ subscription: { health: null } });
  await ends(2, 'webhooks', 'delete', hook);
  await document('webhooks', 'delete', hook, '--yes');
  await ends(3, 'webhooks', 'show', hook);
});

describe('dead letters', () => {
  test('are listed, shown without their content, requeued and discarded', async () => {
    await refused('first');
    await refused('second');
    expect(await messageIds()).toEqual(['first', 'second']);
    const counts = await document('dead-letters', 'list');
    expect(valueAt(counts, 'queues')).toContainEqual(
      expect.objectContaining({ queue: DEAD, deadLetters: 2, oldest: expect.anything() }),
    );
    const shown = await document('dead-letters', 'show', `${DEAD}.dead`, 'second');
    expect(shown).toMatchObject({ messageId: 'second', type: 'partner.platform.v1.ProjectCreated' });
    expect(valueAt(shown, 'body')).toBeUndefined();
    expect(valueAt(shown, 'reason')).not.toBe('');
    expect(valueAt(shown, 'diedAt')).toMatch(/^\d{4}-\d\d-\d\dT/);
    const withBody = await document('dead-letters', 'show', DEAD, 'second', '--body');
    expect(valueAt(withBody, 'body.projectId')).toMatch(/^prj_/);

    expect((await run(['status', '--check'])).exitCode).toBe(1);
    expect((await run(['status', '--check', '--max-dead', '2'])).exitCode).toBe(0);
    const doctor = await document('doctor');
    expect(valueAt(doctor, 'findings')).toContainEqual(finding('dead letters', 'warn'));

    await ends(2, 'dead-letters', 'requeue', DEAD, 'second');
    expect(await messageIds()).toEqual(['first', 'second']);
    // It is refused again, and so dead-lettered again.
    await document('dead-letters', 'requeue', DEAD, 'first', '--yes');
    await eventually('its second death', async () => (await messageIds()).includes('first'));
    const one = await run(['dead-letters', 'discard', DEAD, 'unknown', 'second', '--yes']);
    expect(one).toMatchObject({ exitCode: 3, err: expect.stringMatching(/not found among .*: unknown\n/) });
    expect(await document('dead-letters', 'discard', DEAD, '--all', '--yes')).toMatchObject({
      discarded: 1,
      remaining: 0,
    });
    expect(await messageIds()).toEqual([]);
  });

  test('that a limit or an interruption leaves are reported, and a killed tool loses none', async () => {
    for (const id of ['a', 'b', 'c']) await refused(id);
    expect(await document('dead-letters', 'list', DEAD, '--limit', '2')).toMatchObject({
      deadLetters: [{}, {}],
      hasMore: true,
    });
    expect((await run(['dead-letters', 'list', DEAD, '--limit', '2'])).out).toContain('there are more');
    expect(await document('dead-letters', 'list', DEAD, '--limit', '3')).toMatchObject({ hasMore: false });

    const looked = await run(['dead-letters', 'discard', DEAD, '--all', '--limit', '1']);
    expect(looked).toMatchObject(ended(2, 'and 2 would remain'));
    const some = await run(['dead-letters', 'discard', DEAD, '--all', '--limit', '1', '--yes', '--json']);
    expect(some).toMatchObject(ended(1, '2 messages remain'));
    expect(parseJson(some.out)).toEqual({ queue: DEAD, discarded: 1, remaining: 2 });

    for (const action of ['requeue', 'discard']) {
      const interruption = new AbortController();
      const stopped = await run(['dead-letters', action, DEAD, '--all', '--yes', '--json'], '', {
        signal: interruption.signal,
        isWatched: true,
        tell: (text) => {
          if (text.startsWith('going through')) interruption.abort();
        },
      });
      expect(stopped).toMatchObject(ended(130, 'interrupted'));
      expect(parseJson(stopped.out)).toMatchObject({ queue: DEAD, remaining: 2 });
    }
    const ids = await messageIds();
    expect(ids).toHaveLength(2);

    const args = [MAIN, '--directory', stack.directory, 'dead-letters', 'list', DEAD];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'close');
    await eventually('all of them', async () => (await messageIds()).length === ids.length);
    await expect(messageIds()).resolves.toEqual(ids);
    await document('dead-letters', 'discard', DEAD, '--all', '--yes');
  });
});

describe('the state of the service', () => {
  test('is reported by status and doctor', async () => {
    const status = await document('status');
    expect(status).toMatchObject({ environment: 'sandbox', stack: { baseUrl: stack.description.baseUrl } });
    expect(valueAt(status, 'queues.0')).toMatchObject({
      name: 'job-state.inbound-rpc',
      messages: 0,
      consumers: 1,
    });
    const { out } = await run(['status']);
    for (const line of ['deliveries due', 'behind failing endpoints', 'webhooks with a failing endpoint'])
      expect(out).toContain(line);
    const doctor = await document('doctor');
    expect(valueAt(doctor, 'healthy')).toBe(true);
    expect(JSON.stringify(doctor)).toContain('readiness of console');

    const interruption = new AbortController();
    let readings = 0;
    const watched = await run(['status', '--watch', '1'], '', {
      signal: interruption.signal,
      clear: () => {
        readings += 1;
        if (readings === 2) interruption.abort();
      },
    });
    expect(watched).toMatchObject({ exitCode: 0, err: '' });
    expect(watched.out.match(/deliveries due/g)).toHaveLength(2);

    // As in scripts/up: without a vhost it is that of the stack.
    const AMQP_URL = new URL('/', stack.description.amqpUrl).href;
    const named = await run(['status', '--json'], '', { env: { AMQP_URL } });
    expect(named).toMatchObject({ exitCode: 0, err: '' });
    expect(valueAt(parseJson(named.out), 'stack.baseUrl')).toBe(stack.description.baseUrl);
  });

  test('doctor finds an unavailable component, and commands that need it report it', async () => {
    const jobState = stack.process('job-state');
    await jobState.stop();
    const doctor = await run(['doctor', '--json', '--timeout', '5']);
    expect(doctor.exitCode).toBe(1);
    const findings = valueAt(parseJson(doctor.out), 'findings');
    expect(findings).toContainEqual(finding('job-state and Postgres', 'fail'));
    expect(findings).toContainEqual(finding('services', 'fail'));
    expect(findings).toContainEqual(finding('broker', 'ok'));
    const companies = await run(['companies', 'list', '--timeout', '1']);
    expect(companies.exitCode).toBe(4);
    expect(companies.err).toContain('Is job-state running?');
    expect(companies.out).toBe('');
    await jobState.start();
    await jobState.ready();
    await ends(0, 'companies', 'list');
  });

  test('is reported to a shell by the exit code', async () => {
    const shell = (...args: readonly string[]) =>
      runCommand(process.execPath, [MAIN, '--directory', stack.directory, ...args]);
    const { exitCode, stdout } = await shell('status', '--field', 'environment');
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'sandbox\n' });
    const missing = await shell('restore', 'check');
    expect(missing).toMatchObject({ exitCode: 3, stdout: '' });
  });
});
