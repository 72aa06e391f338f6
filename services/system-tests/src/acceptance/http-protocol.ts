import { expect, test } from '@jest/globals';
import { signIn } from '../support/owner-session.js';
import { expectError } from '../surfaces/send.js';
import type { AcceptanceWorld } from './acceptance-world.js';

/** Paths and names of parameters as they are written. */
export function describeHttpProtocol(world: () => AcceptanceWorld): void {
  test.each(['/inbound/unknown', '/inbound/%6aobs', '/inbound//jobs', '/partner/v1/jobs/'])(
    'responds to %s with 404 in the error shape [HTTP-15, HTTP-16]',
    async (path) => {
      const response = await world().send({ method: 'GET', path, headers: {} });
      expect(expectError(response, 404, 'not_found').error).not.toBe('');
    },
  );

  test('a query parameter in the wrong case or with brackets is a 400 that names the right one [HTTP-13]', async () => {
    const { stack, side } = world();
    const read = (path: string, kind: 'installer-contractor' | 'installer-company') =>
      world().send({ method: 'GET', path, headers: { 'x-api-key': side.keys[kind] } });
    const jobs = await read('/partner/v1/jobs?limit%5B%5D=1', 'installer-company');
    expect(expectError(jobs, 400, 'invalid_argument').error).toBe('limit[]: must be written limit');
    const inbound = await read('/inbound/jobs?Take=1', 'installer-contractor');
    expect(expectError(inbound, 400, 'invalid_argument').error).toBe('Take: must be written take');
    const owner = await signIn(stack.baseUrl, stack.company('INSTALLER').owner);
    const events = await owner.call('GET', '/partner-api/events?resourceid=job_1');
    expect(expectError(events, 400, 'invalid_argument').error).toBe('resourceid: must be written resourceId');
    expect((await read('/partner/v1/jobs?page=1&take=1', 'installer-company')).status).toBe(200);
  });
}
