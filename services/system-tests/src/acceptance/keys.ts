import { expect, test } from '@jest/globals';
import { apiKeyCreated } from '@partner/proto-contracts/resources/api-key/api-key';
import { eventually } from '@partner/test-kit/eventually';
import { call } from '../support/http-call.js';
import { signIn } from '../support/owner-session.js';
import type { AcceptanceWorld } from './acceptance-world.js';

/** Within which no gateway takes a revoked key any more. */
const REVOKED_WITHIN_MS = 5_000;

export function describeKeys(world: () => AcceptanceWorld): void {
  test.each([
    ['installer-company', '/partner/v1/jobs?limit=1'],
    ['automation', '/automation/v1/webhooks'],
  ] as const)(
    'a revoked key of kind %s is refused within 5 seconds [AUTH-13, ERROR-4]',
    async (kind, path) => {
      const { stack } = world();
      const company = stack.company('INSTALLER', 1);
      const owner = await signIn(stack.baseUrl, company.owner);
      const made = await owner.call('POST', '/partner-api/api-keys', { kind });
      const { apiKey: key } = apiKeyCreated.parse(made.json);
      const use = async () => (await call(stack.baseUrl, path, { headers: { 'x-api-key': key } })).status;
      expect(await use()).toBe(200);
      expect((await owner.call('DELETE', `/partner-api/api-keys/${key.split('.')[0]}`)).status).toBe(204);
      const revokedAt = performance.now();
      let acceptedAt = revokedAt;
      await eventually('401 for the revoked key', async () => {
        const sentAt = performance.now();
        const status = await use();
        if (status === 200) acceptedAt = sentAt;
        return status === 401;
      });
      expect(acceptedAt - revokedAt).toBeLessThan(REVOKED_WITHIN_MS);
    },
  );
}
