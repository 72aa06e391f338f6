import { describe, expect, test } from '@jest/globals';
import { notFound, ServiceError } from '@partner/kernel/process/service-error';
import request from 'supertest';
import { assertError, createFixture, readThing } from '../testing/http-app-fixture.js';

describe('a failure of an endpoint', () => {
  const failWith = (thrown: unknown) => {
    const { app, lines } = createFixture({
      endpoints: [
        readThing(async () => {
          throw thrown;
        }),
      ],
    });
    return { lines, response: request(app).get('/things/1').set('x-api-key', 'full') };
  };

  test('gets the status and the fields of its reason [ERROR-11]', async () => {
    const stale = await failWith(new ServiceError('stale_version', 'read again', { currentVersion: 4 }))
      .response;
    expect(assertError(stale, 409, 'stale_version').currentVersion).toBe(4);
    const moved = await failWith(
      new ServiceError('transition_not_allowed', 'no', { currentStatus: 'COMPLETE', allowed: [] }),
    ).response;
    expect(assertError(moved, 422, 'transition_not_allowed')).toMatchObject({
      currentStatus: 'COMPLETE',
      allowed: [],
    });
    assertError(await failWith(notFound('job')).response, 404, 'not_found');
  });

  test('reports whether it is a repeat and when the key expires', async () => {
    const idempotency = { replayed: true, expiresAt: new Date('2026-10-16T12:00:00Z') };
    const { headers } = await failWith(new ServiceError('stale_version', 'read again', { idempotency }))
      .response;
    expect(headers).toMatchObject({
      'idempotency-replayed': 'true',
      'idempotency-expires': '2026-10-16T12:00:00.000Z',
    });
  });

  test.each([new Error('SELECT secret FROM keys'), 'a text', undefined, null])(
    'that is unexpected (%p) is a 500 without details, and is logged [ERROR-10, HTTP-16]',
    async (thrown) => {
      const { response, lines } = failWith(thrown);
      const { error } = assertError(await response, 500, 'internal');
      expect(error).not.toContain('SELECT');
      const line = await lines.find(({ msg }) => msg === 'http.request_completed');
      expect(line).toMatchObject({ level: 'error', status: 500, code: 'internal' });
      if (thrown instanceof Error) expect(line['err']).toMatchObject({ message: 'SELECT secret FROM keys' });
    },
  );
});
