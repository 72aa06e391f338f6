import { expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { claimAll } from '../../testing/claim-all.js';
import { attempted, client, fixture, handle } from '../testing/results-fixture.js';

/** An ordered webhook, whose deliveries are named by the jobs and their place: `a1` is the first about the job a. */
async function orderedWebhook(...jobs: readonly string[]) {
  const { companyId, subscriptionId } = await fixture.companyWith(0);
  await fixture.set('subscriptions', subscriptionId, 'ordered = true');
  const ids = new Map(jobs.map((job) => [job, newId('job')]));
  const names = new Map<string, string>();
  const record = async (job: string) => {
    const eventId = await fixture.event(companyId, ids.get(job));
    const place = [...names.values()].filter((name) => name.startsWith(job)).length + 1;
    const queued = (await fixture.deliveriesOf(subscriptionId)).filter((each) => each.event_id === eventId);
    for (const { id } of queued) names.set(id, `${job}${place}`);
  };
  for (const job of jobs) await record(job);
  const idOf = (name: string) => [...names].find(([, each]) => each === name)?.[0] ?? '';
  const leases = new Map<string, string>();
  return {
    ...{ companyId, subscriptionId, idOf, record },
    /** Names of the deliveries that a scheduler leases now. */
    async leased() {
      const claimed = (await claimAll(fixture.database)).filter(
        (each) => each.subscriptionId === subscriptionId,
      );
      for (const { id, leaseId } of claimed) leases.set(id, leaseId);
      return claimed.map(({ id }) => names.get(id)).sort();
    },
    end(name: string, outcome: AttemptOutcome = AttemptOutcome.DELIVERED) {
      const id = idOf(name);
      return handle(attempted(id, { leaseId: leases.get(id) ?? null, outcome }));
    },
    waitsFor: async (name: string) => {
      const { delivery } = await client.getDelivery({ companyId, deliveryId: idOf(name) });
      return [names.get(delivery.waitsFor ?? ''), delivery.nextAttemptAt === null];
    },
  };
}

test('an ordered webhook gets the events about a job one after another, and those about others meanwhile [DELIVERY-29]', async () => {
  const webhook = await orderedWebhook('a', 'a', 'b', 'a', 'b');
  expect(await webhook.leased()).toEqual(['a1', 'b1']);
  expect(await webhook.leased()).toEqual([]);
  expect(await webhook.waitsFor('a3')).toEqual(['a2', true]);
  expect(await webhook.waitsFor('a1')).toEqual([undefined, true]);
  await webhook.end('b1');
  expect(await webhook.leased()).toEqual(['b2']);
  await webhook.end('a1', AttemptOutcome.TIMED_OUT);
  expect(await webhook.leased()).toEqual([]);
  expect(await webhook.waitsFor('a2')).toEqual(['a1', true]);
  await fixture.makeDue(webhook.idOf('a1'));
  expect(await webhook.leased()).toEqual(['a1']);
  await webhook.end('a1');
  expect(await webhook.waitsFor('a2')).toEqual([undefined, false]);
  await webhook.record('a');
  expect(await webhook.leased()).toEqual(['a2']);
  await webhook.end('a2');
  await webhook.end('b2');
  expect(await webhook.leased()).toEqual(['a3']);
  await webhook.end('a3');
  expect(await webhook.leased()).toEqual(['a4']);
});

test('a dead letter lets the next event about its job go, and its replay comes before those that wait [DELIVERY-29, REPLAY-1]', async () => {
  const webhook = await orderedWebhook('a', 'a', 'a');
  const [companyId, deliveryId] = [webhook.companyId, webhook.idOf('a1')];
  await fixture.set('deliveries', deliveryId, 'attempts = 7');
  expect(await webhook.leased()).toEqual(['a1']);
  await webhook.end('a1', AttemptOutcome.TIMED_OUT);
  expect(await webhook.leased()).toEqual(['a2']);
  const replay = await client.replayDelivery({ companyId, deliveryId });
  await webhook.end('a2');
  expect(await webhook.leased()).toEqual([undefined]);
  expect(await webhook.waitsFor('a3')).toEqual([undefined, true]);
  await handle(attempted(replay.id, { outcome: AttemptOutcome.DELIVERED }));
  expect(await webhook.leased()).toEqual(['a3']);
});

test('a delivery that a claim moves out of the way while the one before it ends is due [DELIVERY-29]', async () => {
  const webhook = await orderedWebhook('a', 'a');
  expect(await webhook.leased()).toEqual(['a1']);
  await fixture.makeDue(webhook.idOf('a2'));
  let ending: Promise<unknown> | undefined;
  await fixture.database.transaction(async (tx) => {
    await claimAll(tx);
    ending = webhook.end('a1');
  });
  await ending;
  expect(await webhook.leased()).toEqual(['a2']);
});

test('a delivery that is queued while the one before it ends is due after that [DELIVERY-29]', async () => {
  const webhook = await orderedWebhook('a');
  expect(await webhook.leased()).toEqual(['a1']);
  await fixture.database.transaction(async (tx) => {
    await tx.query('delete from deliveries where id = $1', [webhook.idOf('a1')]);
    await webhook.record('a');
    await claimAll(fixture.database);
  });
  expect(await webhook.leased()).toEqual(['a2']);
});

test('what waits for an event that is withdrawn is due again after a while, and a webhook that is not ordered waits for nothing [DELIVERY-29]', async () => {
  const webhook = await orderedWebhook('a', 'a');
  expect(await webhook.leased()).toEqual(['a1']);
  await fixture.database.query('delete from deliveries where id = $1', [webhook.idOf('a1')]);
  const { wait_ms: wait } = await fixture.delivery(webhook.idOf('a2'));
  expect(wait).toBeLessThanOrEqual(300_000);
  await fixture.makeDue(webhook.idOf('a2'));
  expect(await webhook.leased()).toEqual(['a2']);
  await webhook.record('a');
  await fixture.set('subscriptions', webhook.subscriptionId, 'ordered = false');
  await webhook.record('a');
  expect(await webhook.leased()).toHaveLength(2);
});
