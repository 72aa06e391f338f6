import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { jobFeedResponse } from '@partner/proto-contracts/resources/feed-entry/feed-entry';
import {
  createActiveSubscription,
  type OwnerSession,
  readSubscription,
  signIn,
} from '../support/owner-session.js';
import type { HttpResponse } from '@partner/test-kit/http-call';
import { expectError } from '../surfaces/send.js';
import type { AcceptanceWorld } from './acceptance-world.js';

type Fields = Readonly<Record<string, unknown>>;

/** What requests may hold, to the letter. */
export function describeInputFormats(world: () => AcceptanceWorld): void {
  let owner: OwnerSession;
  beforeAll(async () => {
    const [company] = world().stack.companies('INSTALLER');
    if (company === undefined) throw new Error('the sandbox has no installer company');
    owner = await signIn(world().stack.baseUrl, company.owner);
  });

  /** Books an appointment under a new key. */
  async function book(fields: Fields): Promise<HttpResponse> {
    return world().send({
      method: 'POST',
      path: '/inbound/appointments',
      headers: { 'x-api-key': world().side.keys.general },
      json: {
        leadId: world().side.leadId,
        startsAt: '2026-12-01T15:00:00Z',
        endsAt: '2026-12-01T16:00:00Z',
        idempotencyKey: randomUUID(),
        ...fields,
      },
    });
  }

  describe('a query', () => {
    const read = (path: string, kind: 'installer-contractor' | 'installer-company') =>
      world().send({ method: 'GET', path, headers: { 'x-api-key': world().side.keys[kind] } });

    test('parameter in the wrong case or with brackets is a 400 that names the right one [HTTP-13]', async () => {
      for (const name of ['Limit', 'LIMIT', 'limit[]', 'limit[0]']) {
        const answer = await read(`/partner/v1/jobs?${encodeURIComponent(name)}=1`, 'installer-company');
        const refused = expectError(answer, 400, 'invalid_argument');
        expect(refused.error).toBe(`${name}: must be written limit`);
      }
      const inbound = await read('/inbound/jobs?Take=1', 'installer-contractor');
      expect(expectError(inbound, 400, 'invalid_argument').error).toBe('Take: must be written take');
      const events = await owner.call('GET', '/partner-api/events?resourceid=job_1');
      expect(events).toMatchObject({
        status: 400,
        json: { error: 'resourceid: must be written resourceId' },
      });
      expect((await read('/partner/v1/jobs?page=1&take=1', 'installer-company')).status).toBe(200);
    });

    test('takes UTC date-times as bodies do, and no other offset [HTTP-17]', async () => {
      const read = (from: string) =>
        owner.call('GET', `/partner-api/statistics?from=${encodeURIComponent(from)}&to=2026-11-03t00:00:00z`);
      expect(await read('2026-11-01T00:00:00+00:00')).toMatchObject({
        status: 200,
        json: { bucketMinutes: 60 },
      });
      expect(await read('2026-11-01T00:00:00+02:00')).toMatchObject({
        status: 400,
        json: { error: expect.stringMatching(/^from: must be an ISO 8601 date-time in UTC/) },
      });
    });

    test('of the feed with a cursor goes on there, whatever from and view say [FEED-6]', async () => {
      const { nextCursor } = jobFeedResponse.parse(
        (await read('/partner/v1/jobs', 'installer-company')).json,
      );
      const cursor = encodeURIComponent(nextCursor ?? '');
      const pages = [];
      for (const rest of ['', '&from=start', '&view=snapshot', '&from=start&view=snapshot']) {
        const page = await read(`/partner/v1/jobs?cursor=${cursor}${rest}`, 'installer-company');
        expect(page.status).toBe(200);
        pages.push(page.text);
      }
      expect(new Set(pages).size).toBe(1);
      const both = await read('/partner/v1/jobs?from=start&view=snapshot', 'installer-company');
      expect(expectError(both, 400, 'invalid_argument').error).toBe(
        'from: must not be given together with view',
      );
    });
  });

  test('a request without a body needs no content type, and the form of another site is refused [SESSION-2]', async () => {
    const { baseUrl, receiverUrl } = world().stack;
    const { id } = await createActiveSubscription(owner, { url: receiverUrl, events: ['install.*'] });
    const change = (method: string, action: string, headers: Readonly<Record<string, string>>) =>
      world().send({ method, path: `/partner-api/webhooks/${id}${action}`, headers });
    const { cookie } = owner.headers;
    const form = {
      method: 'POST',
      path: `/partner-api/webhooks/${id}/pause`,
      bytes: new TextEncoder().encode('a=b'),
    };
    const formHeaders = { cookie, 'content-type': 'application/x-www-form-urlencoded' };

    for (const origin of [{ origin: 'https://evil.example' }, { origin: 'null' }, {}]) {
      const posted = await world().send({ ...form, headers: { ...formHeaders, ...origin } });
      expectError(posted, 403, 'permission_denied');
      expectError(await change('POST', '/pause', { cookie, ...origin }), 403, 'permission_denied');
    }
    const own = { ...formHeaders, origin: new URL(baseUrl).origin };
    const posted = await world().send({ ...form, headers: own });
    expect(expectError(posted, 400, 'invalid_argument').error).toBe('content-type: must be application/json');
    expect((await readSubscription(owner, id)).state).toBe('active');

    expect((await change('POST', '/pause', owner.headers)).status).toBe(200);
    expect((await change('POST', '/test', owner.headers)).status).toBe(202);
    expect((await change('POST', '/activate', owner.headers)).status).toBe(200);
    expect((await change('POST', '/rotate-secret', owner.headers)).status).toBe(201);
    expect((await change('DELETE', '', owner.headers)).status).toBe(204);
  });

  test('an idempotency key stands for every field of the body as it was sent [IDEM-5]', async () => {
    const first = { startsAt: '2026-12-01T15:00:00Z', notes: 'Ring twice', idempotencyKey: randomUUID() };
    const { notes, idempotencyKey, startsAt } = first;
    expect((await book(first)).status).toBe(201);
    expect((await book({ idempotencyKey, notes, startsAt })).status).toBe(200);
    for (const change of [{ startsAt: '2026-12-01T15:00:00+00:00' }, { notes: 'Ring' }, { unknown: 1 }]) {
      const refused = expectError(await book({ ...first, ...change }), 409, 'idempotency_mismatch');
      expect(refused.error).toContain('every field of the body counts, as it was sent');
    }
  });
}
