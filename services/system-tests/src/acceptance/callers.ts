import { expect, test } from '@jest/globals';
import { addCompany } from '../limited-company.js';
import { expectError } from '../surfaces/send.js';
import type { AcceptanceWorld } from './acceptance-world.js';

/** How callers are recognised and limited. */
export function describeCallers(world: () => AcceptanceWorld): void {
  const get = (path: string, apiKey?: string) =>
    world().send({ method: 'GET', path, headers: apiKey === undefined ? {} : { 'x-api-key': apiKey } });

  test('RateLimit says in at most 60 seconds when more requests fit, with and without room', async () => {
    const { apiKeys } = await addCompany(world().stack.database, {
      class: 'INSTALLER',
      keys: ['installer-company'],
      installerRequestsPerMinute: 1,
    });
    const [apiKey] = apiKeys;
    const first = await get('/partner/v1/technicians', apiKey);
    expect(first.headers.get('ratelimit')).toBe('"default";r=0;t=60');
    const refused = await get('/partner/v1/technicians', apiKey);
    expectError(refused, 429, 'rate_limited');
    expect(refused.headers.get('ratelimit')).toMatch(/^"default";r=0;t=([1-9]|[1-5]\d|60)$/);
  });
}
