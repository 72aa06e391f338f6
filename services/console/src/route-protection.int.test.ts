import { describe, expect, test } from '@jest/globals';
import { CONSOLE_OPERATIONS } from '@partner/proto-contracts/surfaces/console';
import { bulkReplay } from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import { newId } from '@partner/kernel/process/ids';
import { PASSWORD, PEOPLE } from './testing/test-job-state.js';
import {
  expectStatus,
  ids as companyIds,
  newWebhook,
  REPLAY,
  SESSION,
  site,
  WEBHOOKS,
} from './testing/each-test-console.js';

/** Every operation of the console in production that needs a session. */
const ROUTES = CONSOLE_OPERATIONS.filter(
  ({ unauthenticated, sandboxOnly }) => unauthenticated !== true && sandboxOnly !== true,
).map(({ method, path }) => [method, path.replace(':id', 'whk_01j6z8k3s9f2v7c4x5b6n7m8q9')] as const);

describe.each(ROUTES)('%s %s', (method, route) => {
  test('is 401 without a session [AUTH-6, WEBHOOK-10]', async () => {
    const response = await site.request(method, route).expect(401);
    expect(response.body).toMatchObject({ code: 'unauthenticated' });
    expect(site.jobState.calledForOwners()).toEqual([]);
  });

  test('is 401 with an API key instead of a session [AUTH-6]', async () => {
    const apiKey = 'key_01j6z8k3s9f2v7c4x5b6n7m8q9.svc_test_0123456789abcdefghijABCDEFGHIJ01234567';
    await expectStatus(401, site.request(method, route).set('x-api-key', apiKey));
    await expectStatus(
      401,
      site
        .request(method, route, { cookie: `__Host-svc_session=${apiKey}` })
        .set('authorization', `Bearer ${apiKey}`),
    );
  });
});

const STATE_CHANGES = [['post', SESSION], ...ROUTES.filter(([method]) => method !== 'get')] as const;

describe.each(STATE_CHANGES)('%s %s', (method, route) => {
  const body = { ...newWebhook, email: PEOPLE.installerOwner, password: PASSWORD };

  test('is 403 from another origin, and does nothing [SESSION-2]', async () => {
    const cookie = await site.signIn();
    const sent = site.request(method, route, { cookie, body }).set('origin', 'https://evil.example');
    expect((await sent.expect(403)).get('set-cookie')).toBeUndefined();
    expect(site.jobState.calledForOwners()).toEqual([]);
    await expectStatus(200, site.request('get', SESSION, { cookie }));
  });

  test('is 400 with the body of a form, and does nothing [SESSION-2]', async () => {
    const cookie = await site.signIn();
    const sent = site.request(method, route, { cookie }).set('content-type', 'text/plain');
    const response = await sent.send(JSON.stringify(body)).expect(400);
    expect(response.body).toMatchObject({ code: 'invalid_argument' });
    expect(site.jobState.calledForOwners()).toEqual([]);
  });
});

describe('another company’s resource', () => {
  test('is 404 like a missing one, and like a malformed id', async () => {
    const theirs = await site.signIn(PEOPLE.salesOwner);
    const { rows } = site.jobState;
    const stored = await rows.subscription({ companyId: companyIds.roofs });
    const installer = await rows.company();
    const receiving = await rows.subscription({ companyId: installer });
    const eventId = await rows.event(installer);
    const ours = await site.signIn();

    const bodies: unknown[] = [];
    for (const id of [stored, newId('whk'), 'whk_1', 'x'.repeat(500)]) {
      const routes = [
        ['get', `${WEBHOOKS}/${id}`],
        ['patch', `${WEBHOOKS}/${id}`],
        ['delete', `${WEBHOOKS}/${id}`],
        ['post', `${WEBHOOKS}/${id}/test`],
        ['post', `${WEBHOOKS}/${id}/activate`],
        ['post', `${WEBHOOKS}/${id}/pause`],
        ['post', `${WEBHOOKS}/${id}/rotate-secret`],
        ['post', `${WEBHOOKS}/${id}/activate-secret`],
        ['get', `${WEBHOOKS}/${id}/deliveries`],
        ['post', `${WEBHOOKS}/${id}/replay`],
        ['get', `${WEBHOOKS}/${id}/replays`],
        ['get', `${WEBHOOKS}/${id}/statistics`],
      ] as const;
      for (const [method, route] of routes) {
        const secret = route.endsWith('/activate-secret') ? { pendingSecretVersion: 1 } : {};
        const body = { ...newWebhook, ...REPLAY, ...secret };
        const response = await site
          .request(method, route, { cookie: ours, ...(method !== 'get' && { body }) })
          .expect(404);
        bodies.push({ ...response.body, requestId: '' });
      }
    }
    expect(new Set(bodies.map((body) => JSON.stringify(body)))).toEqual(
      new Set([JSON.stringify({ error: 'no such webhook subscription', code: 'not_found', requestId: '' })]),
    );

    const begun = await site
      .request('post', `${WEBHOOKS}/${stored}/replay`, { cookie: theirs, body: REPLAY })
      .expect(202);
    const [{ id: deliveryId } = { id: '' }] = await rows.deliveriesOf(receiving);
    const { id: replayId } = bulkReplay.parse(begun.body);
    const kinds = [
      ['webhook delivery', '/partner-api/deliveries/', ['get'], [deliveryId, newId('dlv'), 'dlv_1']],
      ['bulk replay', '/partner-api/replays/', ['get', 'delete'], [replayId, newId('rpl'), 'rpl_1']],
      ['event', '/partner-api/events/', ['get'], [eventId, newId('evt'), 'evt_1']],
    ] as const;
    for (const [what, place, methods, ids] of kinds) {
      for (const id of ids) {
        for (const method of methods) {
          const response = await site.request(method, `${place}${id}`, { cookie: ours }).expect(404);
          expect(response.body).toMatchObject({ error: `no such ${what}`, code: 'not_found' });
        }
      }
    }
    for (const id of [deliveryId, newId('dlv'), 'dlv_1']) {
      const replay = `/partner-api/deliveries/${id}/replay`;
      const response = await site.request('post', replay, { cookie: ours }).expect(404);
      expect(response.body).toMatchObject({ error: 'no such webhook delivery', code: 'not_found' });
    }
    const theirReplay = `/partner-api/replays/${replayId}`;
    const unchanged = await site.request('get', theirReplay, { cookie: theirs }).expect(200);
    expect(unchanged.body).toEqual(begun.body);
    const listed = await site.request('get', WEBHOOKS, { cookie: ours }).expect(200);
    expect(listed.body).toEqual({ subscriptions: [] });
  });
});
