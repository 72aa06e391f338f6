import { expect, test } from '@jest/globals';
import { expectError } from '../surfaces/send.js';
import type { AcceptanceWorld } from './acceptance-world.js';

/** Error responses that belong to no operation. */
export function describeErrorBodies(world: () => AcceptanceWorld): void {
  test.each(['/inbound/unknown', '/inbound/%6aobs', '/inbound//jobs'])(
    'answers %s with 404 in the error shape [HTTP-15]',
    async (path) => {
      const answer = await world().send({ method: 'GET', path, headers: {} });
      expect(expectError(answer, 404, 'not_found').error).not.toBe('');
    },
  );
}
