import { expect, test } from '@jest/globals';
import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import { HEADERS_VERSION, openSecret } from '@partner/kernel/security/secret-sealing';
import { client, fixture } from '../../testing/file-subscriptions.js';
import { failureOf } from '../../testing/subscription-fixture.js';
import type { SubscriptionOfCompany } from './get-subscription.js';

const companyClass = 'INSTALLER';

/** The text of the stored headers. */
async function storedHeaders({ subscriptionId }: SubscriptionOfCompany) {
  const [row] = await fixture.database.query<{ sealed: Buffer }>(
    'select sealed from subscription_secrets where subscription_id = $1 and version = 0',
    [subscriptionId],
  );
  const owner = { ownerId: subscriptionId, version: HEADERS_VERSION };
  return row && openSecret(fixture.deps.sealingKeys, owner, row.sealed);
}

test('seals custom headers, shows and records their names only, and keeps those that it does not name [WEBHOOK-13]', async () => {
  const of = await fixture.activated(await fixture.company());
  const change = (headers: { name: string; value: string | null }[]) =>
    client.updateSubscription({ ...of, companyClass, headers });
  fixture.logLines.length = 0;
  await change([{ name: 'X-Tenant', value: 'west' }]);
  const changed = await change([{ name: 'Authorization', value: 'Bearer hidden' }]);
  expect(changed).toMatchObject({
    headerNames: ['authorization', 'x-tenant'],
    state: 'active',
    verified: true,
  });
  expect(await change([{ name: 'authorization', value: 'Bearer hidden' }])).toEqual(changed);
  expect(await storedHeaders(of)).toBe('{"authorization":"Bearer hidden","x-tenant":"west"}');
  await client.sendTestDelivery(of);
  const claimed = (await fixture.claim()).find(({ subscriptionId }) => subscriptionId === of.subscriptionId);
  expect(claimed?.sealedHeaders).toBeInstanceOf(Buffer);

  const entries = await fixture.database.query(
    `select details from audit_entries where subject_id = $1 and action = 'webhook.updated' order by id`,
    [of.subscriptionId],
  );
  expect(entries).toMatchObject([
    { details: { changed: ['headers'], headerNames: ['x-tenant'] } },
    { details: { changed: ['headers'], headerNames: ['authorization', 'x-tenant'] } },
  ]);
  expect(JSON.stringify([entries, fixture.logLines])).not.toContain('hidden');

  const many = Array.from({ length: 9 }, (_, at) => ({ name: `x-${at}`, value: 'x' }));
  expect(await failureOf(change(many))).toMatchObject({
    reason: 'invalid_argument',
    attributes: { details: [{ path: 'headers' }] },
  });
  // A name is checked before it is put in lower case.
  for (const name of ['Host', '\u212aost']) {
    expect(await failureOf(change([{ name, value: 'x' }]))).toMatchObject({
      attributes: { details: [{ path: 'headers.0.name' }] },
    });
  }
  expect(
    await change([
      { name: 'x-tenant', value: null },
      { name: 'Authorization', value: null },
    ]),
  ).toMatchObject({
    headerNames: [],
  });
  expect(await storedHeaders(of)).toBeUndefined();
});

test('keeps stored values from another host: each must be in the request, or the change is refused [WEBHOOK-14]', async () => {
  const of = await fixture.activated(await fixture.company());
  const change = (fields: { url?: string; headers?: { name: string; value: string | null }[] }) =>
    client.updateSubscription({ ...of, companyClass, ...fields });
  await change({
    headers: [
      { name: 'authorization', value: 'Bearer a' },
      { name: 'x-tenant', value: 'west' },
    ],
  });
  const before = await client.getSubscription(of);
  const other = 'https://other.receiver.example/hooks';
  for (const [headers, named] of [
    [undefined, 'authorization, x-tenant'],
    [[{ name: 'X-Tenant', value: 'east' }], 'authorization'],
    [[{ name: 'x-new', value: '1' }], 'authorization, x-tenant'],
  ] as const) {
    const refused = await failureOf(change({ url: other, ...(headers && { headers: [...headers] }) }));
    expect(refused).toMatchObject({
      reason: 'invalid_argument',
      attributes: { details: [{ path: 'headers', message: expect.stringContaining(named) }] },
    });
  }
  expect(await client.getSubscription(of)).toEqual(before);

  const sameHost = new URL('/elsewhere', before.url).href;
  expect(await change({ url: sameHost })).toMatchObject({ headerNames: ['authorization', 'x-tenant'] });
  const moved = await change({
    url: other,
    headers: [
      { name: 'authorization', value: 'Bearer b' },
      { name: 'x-tenant', value: null },
    ],
  });
  expect(moved).toMatchObject({ url: other, headerNames: ['authorization'] });
  expect(await storedHeaders(of)).toBe('{"authorization":"Bearer b"}');
});

test('sets a rate and removes it [DELIVERY-23]', async () => {
  const of = await fixture.activated(await fixture.company());
  const change = (deliveriesPerSecond: number | null) =>
    client.updateSubscription({ ...of, companyClass, deliveriesPerSecond });
  expect(await change(20)).toMatchObject({ deliveriesPerSecond: 20, state: 'active' });
  for (const perSecond of [0, WEBHOOK_LIMITS.deliveriesPerSecond + 1]) {
    expect(await failureOf(change(perSecond))).toMatchObject({
      attributes: { details: [{ path: 'deliveriesPerSecond' }] },
    });
  }
  expect(await change(null)).toMatchObject({ deliveriesPerSecond: null });
});

test('keeps the fields and the order that a creation or a change names, each field once, until a change names others [DELIVERY-29, WEBHOOK-17]', async () => {
  const companyId = await fixture.company();
  const named = { 'install.*': ['status', 'schedule.endsAt', 'status'] };
  const kept = { 'install.*': ['schedule.endsAt', 'status'] };
  const { subscription } = await client.createSubscription({
    ...{ companyId, companyClass, url: 'https://receiver.example/hooks', events: ['install.*'] },
    ...{ fields: named, ordered: true },
  });
  expect(subscription).toMatchObject({ fields: kept, ordered: true });
  const of = { companyId, subscriptionId: subscription.id };
  const change = (fields: object) => client.updateSubscription({ ...of, companyClass, ...fields });
  expect(await change({ description: 'Board' })).toMatchObject({ fields: kept });
  expect(await change({ fields: named })).toMatchObject({ fields: kept, ordered: true });
  expect(await change({ ordered: false })).toMatchObject({ fields: kept, ordered: false });
  const other = { 'install.status_changed': ['status'] };
  expect(await change({ fields: other })).toHaveProperty('fields', other);
  expect(await failureOf(change({ fields: { 'install.*': ['stage'] } }))).toMatchObject({
    attributes: { details: [{ path: 'fields.install.*.0' }] },
  });
  expect(await client.getSubscription(of)).toHaveProperty('fields', other);
  for (const none of [null, {}]) {
    await change({ fields: other });
    expect(await change({ fields: none })).toHaveProperty('fields', null);
  }
});
