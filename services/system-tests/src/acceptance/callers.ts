import { expect, test } from '@jest/globals';
import { createApiKey } from '@partner/kernel/api-key';
import { eventually } from '@partner/test-kit/eventually';
import { addCompany } from '../support/companies.js';
import { expectError, send } from '../surfaces/send.js';
import type { AcceptanceWorld } from './acceptance-world.js';

/** How callers are recognised and limited. */
export function describeCallers(world: () => AcceptanceWorld): void {
  const get = (path: string, apiKey?: string) =>
    world().send({ method: 'GET', path, headers: apiKey === undefined ? {} : { 'x-api-key': apiKey } });

  test.each([
    ['/inbound/jobs', 'ApiKey realm="inbound"'],
    ['/partner/v1/jobs', 'ApiKey realm="installer"'],
    ['/partner-api/webhooks', 'Session realm="console"'],
  ])('a 401 of %s says in WWW-Authenticate which credentials it takes [HTTP-4]', async (path, challenge) => {
    const answer = await get(path);
    expectError(answer, 401, 'unauthenticated');
    expect(answer.headers.get('www-authenticate')).toBe(challenge);
  });

  test('a valid key is accepted after more failures from its address than the limit allows [LIMIT-6]', async () => {
    // As an address of its own, behind no other proxy than the trusted one, so that no other test is refused for it.
    const { url = '' } = world().stack.stack.description.services['installer-gateway'] ?? {};
    const ask = (apiKey = createApiKey('sandbox').text) =>
      send(url, {
        method: 'GET',
        path: '/partner/v1/technicians',
        headers: { 'x-api-key': apiKey, 'x-forwarded-for': '198.51.100.7' },
      });
    // As many as it takes on this machine: the limit counts the failures of the last minute.
    const refused = await eventually('the limit of failed authentications', async () => {
      const answers = await Promise.all(Array.from({ length: 25 }, () => ask()));
      for (const { status } of answers) expect([401, 429]).toContain(status);
      return answers.find(({ status }) => status === 429);
    });
    expect(expectError(refused, 429, 'rate_limited').error).toContain(
      'too many failed authentications from this address: the limit is 600 a minute',
    );
    const { apiKeys } = await addCompany(world().stack.database, {
      class: 'INSTALLER',
      keys: ['installer-company'],
    });
    expect((await ask(apiKeys[0])).status).toBe(200);
  });

  test('RateLimit says in at most 60 seconds when more requests fit, and a 429 which limit was reached [HTTP-4, LIMIT-6]', async () => {
    const { apiKeys } = await addCompany(world().stack.database, {
      class: 'INSTALLER',
      keys: ['installer-company'],
      installerRequestsPerMinute: 1,
    });
    const [apiKey] = apiKeys;
    const first = await get('/partner/v1/technicians', apiKey);
    expect(first.headers.get('ratelimit')).toBe('"default";r=0;t=60');
    const refused = await get('/partner/v1/technicians', apiKey);
    expect(expectError(refused, 429, 'rate_limited').error).toBe(
      `too many requests: the limit is 1 request a minute to the installer API; retry after ${refused.headers.get('retry-after')} seconds`,
    );
    expect(refused.headers.get('ratelimit')).toMatch(/^"default";r=0;t=([1-9]|[1-5]\d|60)$/);
  });
}
