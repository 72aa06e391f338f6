import { describe, expect, test } from '@jest/globals';
import { INBOUND_OPERATIONS } from '@partner/proto-contracts/surfaces/inbound';
import { createApiKey } from '@partner/kernel/security/api-key';
import { probeSurface } from '@partner/test-kit/probe-surface';
import { assertError, createInboundSurface, KEYS } from './testing/inbound-surface.js';

const OPERATIONS = [
  ['post', '/inbound/leads', 'general'],
  ['post', '/inbound/appointments', 'general'],
  ['get', '/inbound/jobs', 'contractor'],
  ['post', '/inbound/jobs/job_1/status', 'contractor'],
  ['get', '/inbound/events', 'general'],
  ['post', '/inbound/events/replay', 'general'],
  ['get', '/inbound/webhooks/whk_1/manifest', 'general'],
] as const;

describe('the inbound surface', () => {
  test('requires a key for each operation, and has no other method or path', async () => {
    const { app } = createInboundSurface([]);
    await expect(probeSurface(app, INBOUND_OPERATIONS)).resolves.toEqual([]);
  });

  test.each(OPERATIONS)(
    'accepts only keys of the surface and the environment for %s %s, and of them only %s ones',
    async (method, path, kind) => {
      const { request } = createInboundSurface([]);
      assertError(await request(method, path), 401, 'unauthenticated');
      assertError(await request(method, path, createApiKey('sandbox')), 401, 'unauthenticated');
      assertError(await request(method, path, createApiKey('production')), 401, 'unauthenticated');
      assertError(await request(method, path, KEYS.installer), 401, 'unauthenticated');
      const other = kind === 'general' ? KEYS.contractor : KEYS.general;
      // Before validation: the body and the parameter are invalid.
      assertError(await request(method, `${path}?take=0&limit=0`, other).send(), 403, 'permission_denied');
      assertError(
        await request(method, `${path}?take=0&limit=0`, KEYS[kind]).send(),
        400,
        'invalid_argument',
      );
    },
  );

  test('limits all keys of a company together to 600 requests a minute', async () => {
    const { request } = createInboundSurface([]);
    for (let sent = 0; sent < 600; sent += 1) {
      const key = sent % 2 === 0 ? KEYS.general : KEYS.otherGeneral;
      expect((await request('post', '/inbound/leads', key).send({})).status).toBe(400);
    }
    for (const [method, path, key] of [
      ['post', '/inbound/leads', KEYS.general],
      ['post', '/inbound/appointments', KEYS.otherGeneral],
      ['get', '/inbound/jobs', KEYS.contractor],
    ] as const) {
      const refused = await request(method, path, key);
      assertError(refused, 429, 'rate_limited');
      expect(refused.headers).toMatchObject({
        'retry-after': '61',
        'ratelimit-policy': '"default";q=600;w=60',
        ratelimit: '"default";r=0;t=60',
      });
    }
  });

  test('has no API version, and refuses other paths and methods', async () => {
    const { request } = createInboundSurface([]);
    const wrong = await request('get', '/inbound/leads');
    assertError(wrong, 405, 'method_not_allowed');
    expect(wrong.headers['allow']).toBe('POST');
    expect(wrong.headers['x-svc-api-version']).toBeUndefined();
    expect((await request('post', '/inbound/jobs')).headers['allow']).toBe('GET, HEAD');
    for (const path of ['/inbound', '/inbound/jobs/job_1', '/inbound/jobs/job_1/status/']) {
      assertError(await request('post', path), 404, 'not_found');
    }
  });
});
