import { expect, test } from '@jest/globals';
import { expectError } from '../surfaces/send.js';
import type { AcceptanceWorld } from './acceptance-world.js';

/** Error responses that belong to no operation. */
export function describeErrorBodies(world: () => AcceptanceWorld): void {
  test('answers an unknown path with 404 in the error shape', async () => {
    const answer = await world().send({ method: 'GET', path: '/inbound/unknown', headers: {} });
    expect(expectError(answer, 404, 'not_found').error).not.toBe('');
  });
}
