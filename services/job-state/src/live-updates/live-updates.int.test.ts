import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { installerOwner } from '../testing/callers.js';
import { createBulkReplay } from '../webhooks/replay/replay-deliveries.js';
import { replayDelivery } from '../webhooks/replay/replay-delivery.js';
import { stepBulkReplay } from '../webhooks/replay/run-bulk-replays.js';
import { followSubscriptionState } from '../webhooks/subscriptions/follow-subscription-state.js';
import { attemptedMessage } from '../testing/webhook-fixture.js';
import { fixture } from '../testing/file-subscriptions.js';
import { sendLiveUpdate, onLiveUpdate } from './send-live-update.js';

const FAILED = AttemptOutcome.TIMED_OUT;
const sent: string[] = [];

beforeAll(() => {
  onLiveUpdate(fixture.database, (companyId, ids) => void sent.push(`${companyId} ${ids.join()}`));
});

beforeEach(() => {
  sent.length = 0;
});

/** The live updates that work causes. */
async function sentBy(work: () => Promise<unknown>): Promise<readonly string[]> {
  sent.length = 0;
  await work();
  return sent.splice(0);
}

async function queued(companyId: string, subscriptionId: string): Promise<string> {
  await fixture.event(companyId);
  const deliveries = await fixture.deliveriesOf(subscriptionId);
  return deliveries.at(-1)?.id ?? '';
}

async function attempted(deliveryId: string, outcome: AttemptOutcome): Promise<void> {
  await fixture.makeDue(deliveryId);
  const claimed = await fixture.claim();
  const leaseId = claimed.find(({ id }) => id === deliveryId)?.leaseId ?? null;
  await fixture.handle(attemptedMessage({ deliveryId, leaseId, outcome }));
}

describe('a page that shows webhooks is notified of', () => {
  test('every change that an owner makes to a subscription', async () => {
    const companyId = await fixture.company();
    let of = { companyId, subscriptionId: '' };
    const created = await sentBy(async () => {
      of = await fixture.created(companyId);
    });
    const line = `${companyId} ${of.subscriptionId}`;
    expect(created).toEqual([line]);
    expect(await sentBy(() => fixture.tested(of))).toEqual([line, line]);
    const { client } = fixture;
    const changes = [
      () => client.activateSubscription(of),
      () => client.rotateSecret(of),
      () => client.activateSecret({ ...of, pendingSecretVersion: 2 }),
      () => client.updateSubscription({ ...of, description: 'another one' }),
      () => client.pauseSubscription(of),
      () => client.deleteSubscription(of),
    ];
    for (const change of changes) expect(await sentBy(change)).toEqual([line]);
  });

  test('a queued event, but not of one without any subscriber [CONSOLE-2]', async () => {
    const companyId = await fixture.company();
    expect(await sentBy(() => fixture.event(companyId))).toEqual([]);
    const subscriptionId = await fixture.subscription({ companyId });
    await fixture.subscription({ companyId, state: 'paused' });
    expect(await sentBy(() => fixture.event(companyId))).toEqual([`${companyId} ${subscriptionId}`]);
  });

  test('each attempt, and of a late one that reverts a dead letter', async () => {
    const companyId = await fixture.company();
    const subscriptionId = await fixture.subscription({ companyId });
    const line = `${companyId} ${subscriptionId}`;
    const id = await queued(companyId, subscriptionId);
    expect(await sentBy(() => attempted(id, FAILED))).toEqual([line]);
    await fixture.finish('dead_lettered', id);
    const late = (deliveryId: string) =>
      sentBy(() => fixture.handle(attemptedMessage({ deliveryId, leaseId: 'former' })));
    expect(await late(id)).toEqual([line]);
    expect(await late('dlv_gone')).toEqual([]);
  });

  test('single and bulk replays', async () => {
    const { database } = fixture;
    const companyId = await fixture.company();
    const subscriptionId = await fixture.subscription({ companyId });
    const of = { companyId, subscriptionId };
    const line = `${companyId} ${subscriptionId}`;
    const id = await queued(companyId, subscriptionId);
    await fixture.finish('delivered', id);
    const deps = { database, logger: silentLogger, clock: () => new Date() };
    const caller = { companyId, actor: installerOwner(companyId), timeoutMs: () => undefined };
    let again = '';
    const replayed = await sentBy(async () => {
      again = (await replayDelivery(deps, { ...caller, deliveryId: id })).id;
    });
    expect(replayed).toEqual([line]);
    await fixture.finish('dead_lettered', again);

    const span = { from: new Date(Date.now() - 60_000), to: new Date() };
    const selection = { states: ['dead_lettered'] as const, ...span, event: undefined };
    const begin = async () => createBulkReplay(deps, { ...of, ...caller, selection, perMinute: 600 });
    expect(await sentBy(begin)).toEqual([line]);
    expect(await sentBy(() => stepBulkReplay(deps))).toEqual([line]);
  });

  test('deliveries that follow a pause and an activation', async () => {
    const companyId = await fixture.company();
    const subscriptionId = await fixture.subscription({ companyId });
    await queued(companyId, subscriptionId);
    for (const state of ['paused', 'active'] as const) {
      await fixture.setState(subscriptionId, state);
      const updates = await sentBy(() => followSubscriptionState(fixture));
      expect(updates).toContain(`${companyId} ${subscriptionId}`);
    }
  });

  test('several changes of one transaction in one live update per company', async () => {
    await fixture.database.transaction(async (tx) => {
      sendLiveUpdate(tx, 'cmp_1', ['whk_1']);
      sendLiveUpdate(tx, 'cmp_2', ['whk_3']);
      sendLiveUpdate(tx, 'cmp_1', ['whk_2', 'whk_1']);
      sendLiveUpdate(tx, 'cmp_3', []);
      await tx.query('select 1');
    });
    expect(sent).toEqual(['cmp_1 whk_1,whk_2', 'cmp_2 whk_3']);
  });
});
