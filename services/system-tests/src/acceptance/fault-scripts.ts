import { expect, test } from '@jest/globals';
import { apiKeyCreated } from '@partner/proto-contracts/resources/api-key/api-key';
import { newId } from '@partner/kernel/process/ids';
import { call } from '../support/http-call.js';
import { signIn } from '../support/owner-session.js';
import type { AcceptanceWorld } from './acceptance-world.js';

/** Failures that a company of the sandbox requests, to test its own clients. */
export function describeFaultScripts(world: () => AcceptanceWorld): void {
  test('a script limits, fails and loses responses in its order, then the key works as usual [SANDBOX-2]', async () => {
    const { stack } = world();
    const owner = await signIn(stack.baseUrl, stack.company('SALES').owner);
    const made = await owner.call('POST', '/partner-api/api-keys', { kind: 'general' });
    const { key, apiKey } = apiKeyCreated.parse(made.json);
    const stored = await owner.call('PUT', `/partner-api/api-keys/${key.id}/faults`, {
      requests: [
        { fault: 'rate_limited', retryAfterSeconds: 1, times: 2 },
        { fault: 'server_error', status: 503 },
        { fault: 'server_error', status: 503, when: 'after' },
      ],
    });
    expect(stored.status).toBe(200);
    const postLead = (idempotencyKey: string) =>
      call(stack.baseUrl, '/inbound/leads', {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'idempotency-key': idempotencyKey },
        body: {
          fullName: 'Ada Lovelace',
          email: 'ada@example.com',
          phone: '+1 512 555 0100',
          address: `${idempotencyKey} Fault Street, Austin, TX 78701`,
        },
      });
    const idempotencyKey = newId('evt');
    for (const status of [429, 429, 503, 503]) {
      expect((await postLead(idempotencyKey)).status).toBe(status);
    }
    const repeated = await postLead(idempotencyKey);
    expect([repeated.status, repeated.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect((await postLead(newId('evt'))).status).toBe(201);
  });
}
