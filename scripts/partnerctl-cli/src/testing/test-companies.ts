import { expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { registerSecret } from '@partner/local-stack/receiver/known-secrets';
import { eventually } from '@partner/test-kit/eventually';
import { sendCall } from '@partner/test-kit/http-call';
import { parseJson, valueAt } from '../output.js';
import {
  document,
  ended,
  ends,
  field,
  newCompany,
  newJob,
  run,
  stack,
  subscribe,
  textAt,
} from './partnerctl-on-stack.js';

export function testCompanies(): void {
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
}
