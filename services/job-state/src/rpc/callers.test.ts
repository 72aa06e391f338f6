import { createClient } from '@connectrpc/connect';
import { describe, expect, test } from '@jest/globals';
import { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { createInMemoryTransport, partialRpcService } from '@partner/kernel/testing/in-memory-transport';
import { type Callers, servedTo } from './callers.js';

const owner = { actor: { membershipId: 'mem_1', displayName: 'Ada' } };
const formerOwner = { actingMembershipId: 'mem_1' };
const operator = { actor: { displayName: 'operator: Grace' } };
const apiKey = { actor: { displayName: 'API key key_1' } };
const browser = { actor: { userAgent: 'curl' } };
const ownerAsOperator = { actor: { membershipId: 'mem_1', displayName: 'operator: Grace' } };
const stranger = { actor: { displayName: 'Grace' } };
const all = { owner, formerOwner, operator, apiKey, browser, ownerAsOperator, stranger };

/** The names of the actors that are served. */
async function served(callers: Callers): Promise<readonly string[]> {
  const service = partialRpcService(SubscriptionService, { pauseSubscription: () => ({}) });
  const client = createClient(SubscriptionService, createInMemoryTransport([servedTo(callers, service)]));
  const names: string[] = [];
  for (const [name, request] of Object.entries(all)) {
    const refusal = await client.pauseSubscription(request).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refusal === undefined) names.push(name);
    else expect(refusal).toMatchObject({ reason: 'invalid_argument' });
  }
  return names;
}

describe('a request in the name of a person is served', () => {
  test('to owners through the queue of the console alone, and to operators through theirs [TENANT-3]', async () => {
    expect(await served('console')).toEqual(['owner', 'formerOwner', 'browser', 'ownerAsOperator']);
    expect(await served('operators')).toEqual(['operator', 'browser']);
    expect(await served('gateways')).toEqual(['apiKey', 'browser']);
  });
});
