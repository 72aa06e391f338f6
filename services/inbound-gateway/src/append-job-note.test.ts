import { describe, expect, test } from '@jest/globals';
import { JOB_EXAMPLE } from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import { appendJobNoteOperation } from '@partner/proto-contracts/resources/contractor-job/operations';
import type { OperationReply } from '@partner/kernel/amqp/operation-call';
import { notFound, ServiceError } from '@partner/kernel/service-error';
import { createHash } from 'node:crypto';
import { assertError, createSurfaceOf, KEYS } from './testing/inbound-surface.js';

const appended: OperationReply = { json: JSON.stringify(JOB_EXAMPLE) };
const idempotency = { replayed: true, expiresAt: new Date('2026-10-16T12:00:00Z') };

function createFixture(reply: OperationReply | ServiceError = appended) {
  const { requests, request } = createSurfaceOf(appendJobNoteOperation, reply);
  return {
    requests,
    post: (path = '/inbound/jobs/job_1/status') => request('post', path, KEYS.contractor),
  };
}

describe('POST /inbound/jobs/{id}/status', () => {
  test('returns 200 with the job, and names the boundary of the key', async () => {
    const { post, requests } = createFixture();
    const response = await post().send({
      note: 'Gate code 1234',
      sellingCompanyId: 'cmp_9',
      status: 'COMPLETE',
    });
    expect(response.status).toBe(200);
    expect(response.text).toBe(appended.json);
    expect(response.headers).not.toHaveProperty('idempotency-expires');
    expect(requests).toMatchObject([
      {
        caller: { kind: 'key', companyId: 'cmp_1', boundCompanyId: 'cmp_2' },
        params: { id: 'job_1' },
        body: { note: 'Gate code 1234' },
      },
    ]);
    expect(requests[0]?.idempotencyKey).toBeUndefined();
  });

  test('binds an Idempotency-Key to the path and to the body, and marks a replay', async () => {
    const { post, requests } = createFixture({ ...appended, idempotency });
    const response = await post().set('idempotency-key', 'note-1').send({ note: 'x' });
    expect(response.status).toBe(200);
    expect(response.headers).toMatchObject({
      'idempotency-replayed': 'true',
      'idempotency-expires': '2026-10-16T12:00:00.000Z',
    });
    const bodySha256 = createHash('sha256').update('{"note":"x"}').digest();
    expect(requests).toMatchObject([
      { idempotencyKey: { key: 'note-1', operation: 'POST /inbound/jobs/job_1/status', bodySha256 } },
    ]);
  });

  test.each(['', ' ', 'a b', 'ü', 'k'.repeat(129)])(
    'refuses the Idempotency-Key %j with 400',
    async (key) => {
      const { post, requests } = createFixture();
      const response = await post().set('idempotency-key', key).send({ note: 'x' });
      expect(assertError(response, 400, 'invalid_argument').error).toMatch(/^Idempotency-Key: /);
      expect(requests).toHaveLength(0);
    },
  );

  test.each([
    ['not_found', 404],
    ['note_limit_reached', 422],
    ['idempotency_mismatch', 409],
    ['idempotency_in_progress', 409],
    ['unavailable', 503],
    ['internal', 500],
  ] as const)('passes on %s as %i', async (reason, status) => {
    const { post } = createFixture(new ServiceError(reason, 'why'));
    assertError(await post().send({ note: 'x' }), status, reason);
  });

  test('returns until when a recorded refusal is replayed', async () => {
    const { post } = createFixture(new ServiceError('note_limit_reached', 'why', { idempotency }));
    const response = await post().set('idempotency-key', 'note-1').send({ note: 'x' });
    assertError(response, 422, 'note_limit_reached');
    expect(response.headers).toMatchObject({
      'idempotency-replayed': 'true',
      'idempotency-expires': '2026-10-16T12:00:00.000Z',
    });
  });

  test('passes on any decoded id of the path', async () => {
    const { post, requests } = createFixture(notFound('job'));
    const ids = ['nothing', 'job 1', 'job/1', '🏠', 'j'.repeat(2_000)];
    for (const id of ids) {
      const response = await post(`/inbound/jobs/${encodeURIComponent(id)}/status`).send({ note: 'x' });
      assertError(response, 404, 'not_found');
    }
    expect(requests.map(({ params }) => params.id)).toEqual(ids);
  });

  test.each([
    [undefined, 'is required'],
    [null, 'must be a string, not null'],
    [5, 'must be a string, not a number'],
    [true, 'must be a string, not a boolean'],
    [['x'], 'must be a string, not an array'],
    [{ text: 'x' }, 'must be a string, not an object'],
    ['', 'must not be empty'],
    [' \n', 'must not be white space or invisible characters alone'],
    ['n'.repeat(2_001), 'must be at most 2000 characters'],
    ['🏠'.repeat(2_001), 'must be at most 2000 characters'],
    ['a\u0000b', 'must not contain the character U+0000'],
    ['half \udfe0', 'must be well-formed Unicode text'],
  ])('refuses note = %j with 400: %s', async (note, message) => {
    const { post, requests } = createFixture();
    const response = await post().send(JSON.stringify({ note })).type('json');
    const body = assertError(response, 400, 'invalid_argument');
    expect(body.details).toEqual([{ path: 'note', message }]);
    expect(requests).toHaveLength(0);
  });

  test.each(['x', ' x ', 'n'.repeat(2_000), '🏠'.repeat(2_000), 'two\nlines'])(
    'accepts note = %j',
    async (note) => {
      const { post, requests } = createFixture();
      expect((await post().send({ note })).status).toBe(200);
      expect(requests).toMatchObject([{ body: { note } }]);
    },
  );
});
