import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { jobResponse, jobFeedResponse } from '@partner/proto-contracts/public-api/installer-job';
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

  const headersOf = (kind: 'general' | 'installer-contractor' | 'installer-company') => ({
    'x-api-key': world().side.keys[kind],
    'idempotency-key': randomUUID(),
  });
  const jobPath = () => `/partner/v1/jobs/${world().side.jobId}`;

  /** Sets the job's schedule at its present version. */
  async function putSchedule(fields: Fields): Promise<HttpResponse> {
    const headers = headersOf('installer-company');
    const job = await world().send({ method: 'GET', path: jobPath(), headers });
    return world().send({
      method: 'PUT',
      path: `${jobPath()}/schedule`,
      headers,
      json: {
        status: 'TENTATIVE',
        startsAt: '2026-12-01T15:00:00Z',
        endsAt: '2026-12-01T19:00:00Z',
        timeZone: 'America/Chicago',
        expectedVersion: jobResponse.parse(job.json).resource.version,
        ...fields,
      },
    });
  }

  /** Books an appointment under a new key. */
  async function book(fields: Fields): Promise<HttpResponse> {
    return world().send({
      method: 'POST',
      path: '/inbound/appointments',
      headers: headersOf('general'),
      json: {
        leadId: world().side.leadId,
        startsAt: '2026-12-01T15:00:00Z',
        endsAt: '2026-12-01T16:00:00Z',
        idempotencyKey: randomUUID(),
        ...fields,
      },
    });
  }

  /** Posts a lead without a key. */
  async function postLead(fields: Fields): Promise<HttpResponse> {
    return world().send({
      method: 'POST',
      path: '/inbound/leads',
      headers: { 'x-api-key': world().side.keys.general },
      json: {
        fullName: 'Ada Quill',
        email: 'ada@example.com',
        phone: '+1 512 555 0100',
        address: `${randomUUID()} Main Street, Austin, TX 78701`,
        ...fields,
      },
    });
  }

  describe('a time zone', () => {
    test('takes zones and links of the tz database in their exact spelling alone [SCHED-4]', async () => {
      for (const timeZone of ['Europe/Kyiv', 'US/Central', 'EST', 'Etc/GMT+5']) {
        const answer = await putSchedule({ timeZone });
        expect(jobResponse.parse(answer.json).resource.schedule.timeZone).toBe(timeZone);
      }
      const rule = 'timeZone: must be an IANA time zone name, written exactly';
      for (const [timeZone, hint] of [
        ['PST', ', e.g. America/Chicago'],
        ['SystemV/CST6CDT', ', e.g. America/Chicago'],
        ['Factory', ', e.g. America/Chicago'],
        ['America/chicago', ': America/Chicago'],
      ]) {
        const refused = expectError(await putSchedule({ timeZone }), 400, 'invalid_argument');
        expect(refused.error).toBe(`${rule}${hint}`);
      }
    });
  });
  describe('a date-time', () => {
    test('is UTC as Z, z and +00:00, with t or T, in bodies and in queries [HTTP-17]', async () => {
      for (const startsAt of [
        '2026-12-01T15:00:00Z',
        '2026-12-01t15:00:00z',
        '2026-12-01T15:00:00.5+00:00',
      ]) {
        expect((await book({ startsAt })).status).toBe(201);
      }
      const answer = await putSchedule({
        startsAt: '2026-12-01t15:00:00z',
        endsAt: '2026-12-01T19:00:00+00:00',
      });
      expect(jobResponse.parse(answer.json).resource.schedule).toMatchObject({
        startsAt: '2026-12-01T15:00:00.000Z',
        endsAt: '2026-12-01T19:00:00.000Z',
      });
      const query = new URLSearchParams({ from: '2026-11-01T00:00:00+00:00', to: '2026-11-03t00:00:00z' });
      const statistics = await owner.call('GET', `/partner-api/statistics?${query.toString()}`);
      expect(statistics).toMatchObject({ status: 200, json: { bucketMinutes: 60 } });
    });

    test('with another offset, without seconds or with second 60 is a 400 that says what is right [HTTP-17]', async () => {
      const rule =
        'must be an ISO 8601 date-time in UTC (Z or +00:00), with seconds 00 to 59, e.g. 2026-08-26T14:03:00Z';
      for (const time of ['15:00:00-05:00', '15:00:00-00:00', '15:00Z', '15:00:60Z', '15:00:00']) {
        const refused = expectError(await book({ startsAt: `2026-12-01T${time}` }), 400, 'invalid_argument');
        expect(refused.error).toBe(`startsAt: ${rule}`);
      }
      const query = new URLSearchParams({ from: '2026-11-01T00:00:00+02:00' });
      const statistics = await owner.call('GET', `/partner-api/statistics?${query.toString()}`);
      expect(statistics).toMatchObject({ status: 400, json: { error: `from: ${rule}` } });
    });

    test('of an appointment or a schedule is in the years 2000 to 2100 [HTTP-17]', async () => {
      const rule = 'must be in the years 2000 to 2100';
      const booked = await book({ startsAt: '0004-12-01T15:00:00Z' });
      expect(expectError(booked, 400, 'invalid_argument').error).toBe(`startsAt: ${rule}`);
      const scheduled = await putSchedule({ endsAt: '2101-01-01T00:00:00Z' });
      expect(expectError(scheduled, 400, 'invalid_argument').error).toBe(`endsAt: ${rule}`);
    });
  });

  describe('an email address', () => {
    test('is a mailbox of RFC 5321 in ASCII [LEAD-6]', async () => {
      for (const email of ['a/b@x.example', 'a%b@x.example', 'a`b@x.example', '"ada quill"@x.example']) {
        expect((await postLead({ email })).status).toBe(201);
      }
      for (const email of ['.ada@x.example', 'ada@localhost', `${'x'.repeat(65)}@x.example`]) {
        const refused = expectError(await postLead({ email }), 400, 'invalid_argument');
        expect(refused.error).toBe('email: must be an email address, e.g. ada@example.com');
      }
      const international = expectError(await postLead({ email: 'zoë@x.example' }), 400, 'invalid_argument');
      expect(international.error).toContain('email: must be an email address in ASCII');
    });
  });

  describe('a text', () => {
    const appendNote = (note: string) =>
      world().send({
        method: 'POST',
        path: `/inbound/jobs/${world().side.jobId}/status`,
        headers: headersOf('installer-contractor'),
        json: { note },
      });

    test('that is required holds more than white space [HTTP-11]', async () => {
      const cases: readonly (readonly [string, HttpResponse])[] = [
        ['fullName', await postLead({ fullName: ' ' })],
        ['phone', await postLead({ phone: ' '.repeat(7) })],
        ['address', await postLead({ address: '\t\n\u00a0' })],
        ['note', await appendNote('   ')],
        ['idempotencyKey', await book({ idempotencyKey: ' '.repeat(8) })],
      ];
      for (const [field, answer] of cases) {
        const refused = expectError(answer, 400, 'invalid_argument');
        expect(refused.error).toBe(`${field}: must not be white space alone`);
      }
    });

    test('that is optional may be empty or white space [HTTP-11]', async () => {
      for (const notes of ['', '  ']) expect((await book({ notes })).status).toBe(201);
    });
  });

  test('a value of another JSON type is a 400 that names both types [HTTP-12]', async () => {
    const cases: readonly (readonly [HttpResponse, string])[] = [
      [await putSchedule({ expectedVersion: '2' }), 'expectedVersion: must be an integer, not a string'],
      [await putSchedule({ expectedVersion: 1.5 }), 'expectedVersion: must be an integer'],
      [await postLead({ smsConsent: 'yes' }), 'smsConsent: must be true or false, not a string'],
      [await postLead({ fullName: null }), 'fullName: must be a string, not null'],
    ];
    for (const [answer, message] of cases) {
      expect(expectError(answer, 400, 'invalid_argument').error).toBe(message);
    }
  });

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
