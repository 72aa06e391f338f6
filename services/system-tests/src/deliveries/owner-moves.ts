import { setTimeout as delay } from 'node:timers/promises';
import { delivery, deliveryWithAttempts } from '@partner/proto-contracts/resources/delivery/delivery';
import {
  secretRotated,
  subscriptionCreated,
} from '@partner/proto-contracts/resources/subscription/subscription';
import { eventually } from '@partner/test-kit/eventually';
import type { z } from 'zod';
import type { OwnerChange, RequestedChange, SubscriptionHistory } from './delivery-history.js';
import type { patientOwner, TimedResponse } from './patient-calls.js';

/** How long a test delivery may take, in milliseconds: some leases that are lost, one after another. */
const TEST_TIMEOUT_MS = 240_000;
const BETWEEN_LOOKS_MS = 200;
/** For which a secret stays pending: several events are signed meanwhile. */
const LOADING_MS = 4_000;

/** A subscription with the moves of its owner, each of which waits for its certain response, and their outcomes. */
export interface OwnedSubscription {
  readonly history: SubscriptionHistory;
  pause(): Promise<void>;
  activate(options: { readonly backfill: boolean }): Promise<void>;
  /** Rotates the secret, has the pending one tested, and activates it once every receiver has had time to load it. */
  rotate(): Promise<void>;
  /** Changes the URL to another path, has it tested, and activates the subscription again. */
  moveTo(path: string): Promise<void>;
}

/** Creates a subscription, tests it and activates it. */
export async function openSubscription(
  owner: ReturnType<typeof patientOwner>,
  wanted: {
    /** Where {@link wanted.path} stands, without a slash at its end. */
    readonly origin: string;
    readonly path: string;
    readonly events: readonly string[];
  },
): Promise<OwnedSubscription> {
  const created = await owner.call('POST', '/partner-api/webhooks', {
    url: wanted.origin + wanted.path,
    events: wanted.events,
  });
  const { subscription: made, secret } = expectResponse(created, 201, subscriptionCreated);
  const own = `/partner-api/webhooks/${made.id}`;
  const sinceEver: RequestedChange = { sentAt: 0, respondedAt: 0 };
  const changes: OwnerChange[] = [
    { ...sinceEver, kind: 'state', value: 'paused' },
    { ...sinceEver, kind: 'path', value: wanted.path },
    { ...sinceEver, kind: 'secret', value: '1' },
  ];
  const secrets = [{ version: 1, secret }];

  async function sendTest(body: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await untilDelivered(expectResponse(await owner.call('POST', `${own}/test`, body), 202, delivery).id);
  }

  async function untilDelivered(deliveryId: string): Promise<void> {
    let last = '';
    await eventually(
      () => `the test delivery arrives; the last: ${last}`,
      async () => {
        const { response } = await owner.call('GET', `/partner-api/deliveries/${deliveryId}`);
        last = response.text;
        return deliveryWithAttempts.parse(response.json).delivery.state === 'delivered';
      },
      { timeoutMs: TEST_TIMEOUT_MS, everyMs: BETWEEN_LOOKS_MS },
    );
  }

  /** False when the secret was replaced meanwhile, by an earlier try of the rotation that came through late. */
  async function tryToRotate(): Promise<boolean> {
    const rotated = expectResponse(await owner.call('POST', `${own}/rotate-secret`), 201, secretRotated);
    const { pendingSecretVersion: version, secret } = rotated;
    secrets.push({ version, secret });
    const test = await owner.call('POST', `${own}/test`, { secretVersion: version });
    if (test.response.status === 409) return false;
    await untilDelivered(expectResponse(test, 202, delivery).id);
    await delay(LOADING_MS);
    const activated = await owner.call('POST', `${own}/activate-secret`, { pendingSecretVersion: version });
    if (activated.response.status === 409) return false;
    changes.push({ ...changeOf(activated, 200), kind: 'secret', value: String(version) });
    return true;
  }

  async function activate({ backfill }: { readonly backfill: boolean }): Promise<void> {
    const activated = await owner.call('POST', `${own}/activate`, backfill ? { backfill } : {});
    changes.push({ ...changeOf(activated, 200), kind: 'state', value: backfill ? 'back-filled' : 'active' });
  }

  await sendTest();
  await activate({ backfill: false });
  return {
    history: { id: made.id, changes, secrets },
    activate,
    async pause() {
      const paused = await owner.call('POST', `${own}/pause`);
      changes.push({ ...changeOf(paused, 200), kind: 'state', value: 'paused' });
    },
    async rotate() {
      while (!(await tryToRotate()));
    },
    async moveTo(path) {
      const changed = changeOf(await owner.call('PATCH', own, { url: wanted.origin + path }), 200);
      changes.push({ ...changed, kind: 'path', value: path }, { ...changed, kind: 'state', value: 'paused' });
      await sendTest();
      await activate({ backfill: false });
    },
  };
}

function changeOf(timed: TimedResponse, status: number): RequestedChange {
  const { response, sentAt, respondedAt } = timed;
  if (response.status !== status) throw new Error(`refused: ${response.status} ${response.text}`);
  return { sentAt, respondedAt };
}

function expectResponse<Shape>(timed: TimedResponse, status: number, shape: z.ZodType<Shape>): Shape {
  changeOf(timed, status);
  return shape.parse(timed.response.json);
}
