import { expect, test } from '@jest/globals';
import { CONSOLE_OPERATIONS } from '@partner/proto-contracts/surfaces/console';
import { newId } from '@partner/kernel/process/ids';
import { PASSWORD, PEOPLE } from './testing/test-job-state.js';
import { expectStatus, newWebhook, REPLAY, SESSION, site, WEBHOOKS } from './testing/each-test-console.js';
import { cookie, send } from './testing/signed-in-console.js';

const WEBHOOK = `${WEBHOOKS}/whk_01j6z8k3s9f2v7c4x5b6n7m8q9`;
const API = '/partner-api';

/** Every operation of the console in production that needs a session. */
const ROUTES = CONSOLE_OPERATIONS.filter(
  ({ unauthenticated, sandboxOnly }) => unauthenticated !== true && sandboxOnly !== true,
).map(({ method, path }) => [method, path.replace(':id', 'whk_01j6z8k3s9f2v7c4x5b6n7m8q9')] as const);

test('every change is 400 with the body of a form, and does nothing [SESSION-2]', async () => {
  const body = { ...newWebhook, email: PEOPLE.installerOwner, password: PASSWORD };
  for (const [method, route] of [['post', SESSION] as const, ...ROUTES]) {
    if (method === 'get') continue;
    const ofForm = site.request(method, route, { cookie }).set('content-type', 'text/plain');
    const response = await ofForm.send(JSON.stringify(body)).expect(400);
    expect(response.body).toMatchObject({ code: 'invalid_argument' });
  }
  expect(site.jobState.calledForOwners()).toEqual([]);
  await expectStatus(200, site.request('get', SESSION, { cookie }));
});

const INVALID = [
  ['post', SESSION, { email: 'olive\u0000@sunny.example', password: PASSWORD }, 'email'],
  ['post', SESSION, { email: PEOPLE.installerOwner, password: 1 }, 'password'],
  ['post', WEBHOOKS, { ...newWebhook, url: 'http://receiver.example/' }, 'url'],
  ['post', WEBHOOKS, { ...newWebhook, url: 'https://receiver.example:8443/' }, 'url'],
  ['post', WEBHOOKS, { ...newWebhook, url: 'https://user:pass@receiver.example/' }, 'url'],
  ['post', WEBHOOKS, { ...newWebhook, url: 'https://receiver.example/\n' }, 'url'],
  ['post', WEBHOOKS, { ...newWebhook, events: ['install.test', 'install.tset'] }, 'events.1'],
  ['post', WEBHOOKS, { ...newWebhook, events: ['*'] }, 'events.0'],
  ['patch', WEBHOOK, { companyId: 'cmp_roofs' }, 'body'],
  ['patch', WEBHOOK, { headers: [{ name: 'Host', value: 'x' }] }, 'headers.0.name'],
  ['post', `${WEBHOOK}/activate`, { backfill: 'yes' }, 'backfill'],
  ['post', `${WEBHOOK}/test`, { headers: [{ name: 'x-tenant', value: 'east' }] }, 'headers'],
  ['post', `${WEBHOOK}/test`, { pendingSecretVersion: 2 }, 'secretVersion'],
  ['post', `${WEBHOOK}/activate-secret`, undefined, 'body'],
  ['post', `${WEBHOOK}/replay`, { ...REPLAY, to: REPLAY.from }, 'to'],
  ['post', `${WEBHOOK}/replay`, { ...REPLAY, to: '2026-10-30T00:00:01Z' }, 'to'],
  ['post', `${WEBHOOK}/replay`, { ...REPLAY, event: 'install.tset' }, 'event'],
  ['get', `${WEBHOOK}/deliveries?fromNumber=3&toNumber=2`, undefined, 'toNumber'],
  ['get', `${API}/events?event=*`, undefined, 'event'],
  ['get', `${API}/statistics?from=2026-07-01T00:00:00Z&to=2026-08-01T00:00:00.001Z`, undefined, 'to'],
  ['get', `${WEBHOOK}/statistics?from=9999-01-01T00:00:00Z`, undefined, 'from'],
  ['post', `${API}/api-keys`, { kind: 'installer-contractor' }, 'boundCompanyId'],
  ['post', `${API}/api-keys`, { kind: 'general', boundCompanyId: newId('cmp') }, 'boundCompanyId'],
  ['post', `${API}/api-keys/${newId('key')}/rotate`, { overlapHours: 1.5 }, 'overlapHours'],
  ['get', `${API}/installers?limit=101`, undefined, 'limit'],
  ['get', `${API}/audit-entries?action=webhook.unknown`, undefined, 'action'],
] as const;

test('an invalid input is 400, names the field and does nothing [REPLAY-1, WEBHOOK-11]', async () => {
  for (const [method, path, body, field] of INVALID) {
    const response = await send(method, path, body);
    expect([path, body, response.body]).toEqual([
      path,
      body,
      expect.objectContaining({
        code: 'invalid_argument',
        details: [expect.objectContaining({ path: field })],
      }),
    ]);
  }
  // job-state checks the spans of statistics.
  const called = site.jobState.calledForOwners().map(({ operation }) => operation);
  expect(called).toEqual(['getStatistics', 'getWebhookStatistics']);
});

test('a cursor of another list is 400', async () => {
  for (const list of [
    'webhooks/whk_1/deliveries',
    'webhooks/whk_1/replays',
    'deliveries',
    'events',
    'api-keys',
    'installers',
    'audit-entries',
  ]) {
    const response = await send('get', `${API}/${list}?cursor=${newId('ses')}`).expect(400);
    expect(response.body).toMatchObject({ code: 'cursor_invalid', details: [{ path: 'cursor' }] });
  }
});

test('a malformed id is 404 like a missing one', async () => {
  for (const [path, what] of [
    [`webhooks/${'x'.repeat(500)}`, 'webhook subscription'],
    ['deliveries/dlv_1', 'webhook delivery'],
    ['replays/rpl_1', 'bulk replay'],
    ['events/evt_1', 'event'],
  ]) {
    const response = await send('get', `${API}/${path}`).expect(404);
    expect(response.body).toMatchObject({ error: `no such ${what}`, code: 'not_found' });
  }
});
