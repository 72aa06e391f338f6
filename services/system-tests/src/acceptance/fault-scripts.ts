import { beforeAll, expect, test } from '@jest/globals';
import { apiKeyCreated } from '@partner/proto-contracts/resources/api-key/api-key';
import { leadCreated } from '@partner/proto-contracts/resources/lead/lead';
import { newId } from '@partner/kernel/ids';
import type { HttpResponse } from '@partner/test-kit/http-call';
import { call } from '../support/http-call.js';
import { createActiveSubscription, type OwnerSession, signIn } from '../support/owner-session.js';
import type { AcceptanceWorld } from './acceptance-world.js';

/** Failures that a company of the sandbox asks for, to test its own clients. */
export function describeFaultScripts(world: () => AcceptanceWorld): void {
  let owner: OwnerSession;
  beforeAll(async () => {
    const { stack } = world();
    owner = await signIn(stack.baseUrl, stack.company('SALES').owner);
  });

  /** Creates a key with a script. */
  async function keyWith(script: object): Promise<{ readonly apiKey: string; readonly path: string }> {
    const made = await owner.call('POST', '/partner-api/api-keys', { kind: 'general' });
    const { key, apiKey } = apiKeyCreated.parse(made.json);
    const path = `/partner-api/api-keys/${key.id}/faults`;
    expect((await owner.call('PUT', path, script)).status).toBe(200);
    return { apiKey, path };
  }

  function postLead(apiKey: string, idempotencyKey = newId('evt')): Promise<HttpResponse> {
    return call(world().stack.baseUrl, '/inbound/leads', {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'idempotency-key': idempotencyKey },
      body: {
        fullName: 'Ada Lovelace',
        email: 'ada@example.com',
        phone: '+1 512 555 0100',
        address: `${idempotencyKey} Fault Street, Austin, TX 78701`,
      },
    });
  }

  test('a script limits, fails and loses responses in its order, then the key works as usual [SANDBOX-2]', async () => {
    const { apiKey } = await keyWith({
      requests: [
        { fault: 'rate_limited', retryAfterSeconds: 1, times: 2 },
        { fault: 'server_error', status: 503 },
        { fault: 'server_error', status: 503, when: 'after' },
      ],
    });
    const idempotencyKey = newId('evt');
    for (const status of [429, 429, 503, 503]) {
      expect((await postLead(apiKey, idempotencyKey)).status).toBe(status);
    }
    const repeated = await postLead(apiKey, idempotencyKey);
    expect([repeated.status, repeated.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect((await postLead(apiKey)).status).toBe(201);
  });

  test('a script sends each webhook twice and in another order [SANDBOX-2]', async () => {
    const { stack } = world();
    await createActiveSubscription(owner, {
      url: `${stack.receiverUrl}/fault-scripts`,
      events: ['appointment.booked'],
    });
    const { apiKey } = await keyWith({ webhooks: { duplicate: true, reorder: true } });
    const { leadId } = leadCreated.parse((await postLead(apiKey)).json);
    for (const _ of [1, 2, 3]) {
      const booked = await call(stack.baseUrl, '/inbound/appointments', {
        method: 'POST',
        headers: { 'x-api-key': apiKey },
        body: {
          leadId,
          startsAt: '2027-03-01T15:00:00Z',
          endsAt: '2027-03-01T16:00:00Z',
          idempotencyKey: newId('evt'),
        },
      });
      expect(booked.status).toBe(201);
    }
    const received = () =>
      stack.receiver.received.filter(({ envelope }) => envelope.event === 'appointment.booked');
    await stack.receiver.waitUntil('each webhook twice', () => received().length >= 6);
    const ids = received().map(({ envelope }) => envelope.id);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(ids.filter((other) => other === id)).toHaveLength(2);
    expect(new Set(received().map(({ headers }) => headers['x-svc-delivery-id'])).size).toBe(6);
  });
}
