import { beforeAll, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { createActiveSubscription, type OwnerSession, signIn } from '../support/owner-session.js';
import { assignSandboxJob, reportStatus } from '../support/platform-job.js';
import type { ReceivedWebhook } from '../support/webhook-receiver.js';
import { isSignedWith } from '../support/webhook-signatures.js';
import { expectError } from '../surfaces/send.js';
import type { AcceptanceWorld } from './acceptance-world.js';

/** Endpoint URLs and signatures, as an owner and a receiver meet them. */
export function describeWebhookSubscriptions(world: () => AcceptanceWorld): void {
  let owner: OwnerSession;
  beforeAll(async () => {
    const { stack } = world();
    owner = await signIn(stack.baseUrl, stack.company('INSTALLER').owner);
  });

  test('refuses a URL that is not public and names the rule that it breaks [CONSOLE-4, URL-1, URL-2]', async () => {
    const url = 'https://10.0.0.1/';
    const response = await owner.call('POST', '/partner-api/webhooks', { url, events: ['install.*'] });
    expect(expectError(response, 400, 'invalid_argument').error).toContain('an address that is not public');
  });

  test('gets webhooks that a stock Standard Webhooks verifier accepts [AUTH-7, DELIVERY-4, DELIVERY-11, SERVICE-4]', async () => {
    const { stack } = world();
    const url = `${stack.receiverUrl}/signed`;
    const { secret } = await createActiveSubscription(owner, { url, events: ['install.status_changed'] });
    const job = await assignSandboxJob(stack);
    await reportStatus(stack, job, { status: 'ACKNOWLEDGED', note: 'on it' });
    const isOfMove = ({ path, envelope }: ReceivedWebhook) =>
      path === '/webhooks/signed' && envelope.resource.id === job.id;
    await stack.receiver.waitUntil('the webhook of the move', (received) => received.some(isOfMove));
    const [webhook] = stack.receiver.received.filter(isOfMove);
    if (webhook === undefined) throw new Error('not received');

    const headers = Object.fromEntries(
      Object.entries(webhook.headers).map(([name, value]) => [name, String(value)] as const),
    );
    expect(() => new Webhook(secret).verify(webhook.body, headers)).not.toThrow();
    const tampered = Buffer.from(webhook.body);
    tampered.writeUInt8(tampered.readUInt8(10) ^ 1, 10);
    expect(() => new Webhook(secret).verify(tampered, headers)).toThrow();
    expect(isSignedWith(secret, webhook)).toBe(true);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-svc-event': 'install.status_changed',
      'x-svc-secret-version': '1',
      'webhook-id': webhook.envelope.id,
    });
    expect(webhook.envelope).toMatchObject({
      event: 'install.status_changed',
      apiVersion: '2026-08-26',
      schemaVersion: 1,
      resource: { id: job.id, version: job.version + 1 },
      data: { previousStatus: 'ASSIGNED', status: 'ACKNOWLEDGED', note: 'on it' },
    });
  });
}
