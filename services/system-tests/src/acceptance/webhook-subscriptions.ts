import { beforeAll, describe, expect, test } from '@jest/globals';
import { errorBody } from '@partner/proto-contracts/api/error-body';
import { createActiveSubscription, type OwnerSession, signIn } from '../support/owner-session.js';
import type { AcceptanceWorld } from './acceptance-world.js';

/** Endpoint URLs and signing secrets, as an owner meets them. */
export function describeWebhookSubscriptions(world: () => AcceptanceWorld): void {
  let owner: OwnerSession;

  beforeAll(async () => {
    const { stack } = world();
    const [company] = stack.companies('INSTALLER');
    if (company === undefined) throw new Error('the sandbox has no installer company');
    owner = await signIn(stack.baseUrl, company.owner);
  });

  test.each([
    ['http://hooks.example.com/', 'must be a URL that begins with https://'],
    ['https://hooks.example.com:8443/', 'must use port 443'],
    ['https://ada@hooks.example.com/', 'must not contain a user name or password'],
    ['https://hooks.example.com/#a', 'must not contain a fragment'],
    ['https://localhost/', 'use `partnerctl listen`'],
    ['https://10.0.0.1/', 'an address that is not public'],
  ])('refuses %s and names the rule that it breaks [CONSOLE-4, URL-1, URL-2]', async (url, rule) => {
    const answer = await owner.call('POST', '/partner-api/webhooks', { url, events: ['install.*'] });
    expect(answer.status).toBe(400);
    expect(errorBody.parse(answer.json).error).toContain(rule);
  });

  describe('activate-secret', () => {
    test('refuses the active version with 409 and accepts the repeat of an activation [SECRET-8]', async () => {
      const { stack } = world();
      const { id } = await createActiveSubscription(owner, { url: stack.receiverUrl, events: ['install.*'] });
      const activate = (pendingSecretVersion: number) =>
        owner.call('POST', `/partner-api/webhooks/${id}/activate-secret`, { pendingSecretVersion });
      expect(await activate(1)).toMatchObject({
        status: 409,
        json: {
          code: 'secret_version_mismatch',
          error: 'pendingSecretVersion: 1 is already active; no secret is pending',
        },
      });
      await owner.call('POST', `/partner-api/webhooks/${id}/rotate-secret`);
      expect(await activate(2)).toMatchObject({ status: 200, json: { secretVersion: 2 } });
      expect(await activate(2)).toMatchObject({ status: 200, json: { secretVersion: 2 } });
      const testWith = (secretVersion: number) =>
        owner.call('POST', `/partner-api/webhooks/${id}/test`, { secretVersion });
      expect((await testWith(1)).json).toMatchObject({
        error: 'secretVersion: 1 was replaced; deliveries are signed with 2; no secret is pending',
      });
      await owner.call('DELETE', `/partner-api/webhooks/${id}`);
    });
  });
}
