import { setTimeout as delay } from 'node:timers/promises';
import { delivery } from '@partner/proto-contracts/resources/delivery/delivery';
import { secretRotated } from '@partner/proto-contracts/resources/subscription/subscription';
import { expectStatus } from '../support/http-call.js';
import {
  createActiveSubscription,
  type OwnerSession,
  sendTestDelivery,
  waitForDelivery,
} from '../support/owner-session.js';
import type { OwnerChange, RequestedChange, SubscriptionHistory } from './delivery-history.js';
import { timed } from './patient-calls.js';

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
  owner: Pick<OwnerSession, 'call'>,
  wanted: {
    readonly companyId: string;
    /** Where {@link wanted.path} stands, without a slash at its end. */
    readonly origin: string;
    readonly path: string;
    readonly events: readonly string[];
    /** Absent: false. */
    readonly ordered?: boolean;
  },
): Promise<OwnedSubscription> {
  const { companyId, origin, path: firstPath, events, ordered = false } = wanted;
  const { result, ...opened } = await timed(() =>
    createActiveSubscription(owner, { url: origin + firstPath, events, ordered }),
  );
  const { id, secret: firstSecret } = result;
  const own = `/partner-api/webhooks/${id}`;
  const sinceEver: RequestedChange = { sentAt: 0, respondedAt: 0 };
  const changes: OwnerChange[] = [
    { ...sinceEver, kind: 'state', value: 'paused' },
    { ...sinceEver, kind: 'path', value: firstPath },
    { ...sinceEver, kind: 'secret', value: '1' },
    { ...opened, kind: 'state', value: 'active' },
  ];
  const secrets = [{ version: 1, secret: firstSecret }];

  /** Sends a change of the subscription. Throws unless it succeeds. */
  async function change(method: string, path: string, body?: unknown): Promise<RequestedChange> {
    const { result: _, ...when } = await timed(() => expectStatus(200, owner.call(method, own + path, body)));
    return when;
  }

  /** False when the secret was replaced meanwhile, by an earlier try of the rotation that came through late. */
  async function tryToRotate(): Promise<boolean> {
    const rotated = await expectStatus(201, owner.call('POST', `${own}/rotate-secret`));
    const { pendingSecretVersion: version, secret } = secretRotated.parse(rotated.json);
    secrets.push({ version, secret });
    const test = await owner.call('POST', `${own}/test`, { secretVersion: version });
    if (test.status === 409) return false;
    const { id: testId } = delivery.parse((await expectStatus(202, test)).json);
    await waitForDelivery(owner, testId, (state) => state === 'delivered');
    await delay(LOADING_MS);
    const { result: activated, ...when } = await timed(() =>
      owner.call('POST', `${own}/activate-secret`, { pendingSecretVersion: version }),
    );
    if (activated.status === 409) return false;
    await expectStatus(200, activated);
    changes.push({ ...when, kind: 'secret', value: String(version) });
    return true;
  }

  async function activate({ backfill }: { readonly backfill: boolean }): Promise<void> {
    const activated = await change('POST', '/activate', backfill ? { backfill } : {});
    changes.push({ ...activated, kind: 'state', value: backfill ? 'back-filled' : 'active' });
  }

  return {
    history: { id, companyId, changes, secrets },
    activate,
    async pause() {
      changes.push({ ...(await change('POST', '/pause')), kind: 'state', value: 'paused' });
    },
    async rotate() {
      while (!(await tryToRotate()));
    },
    async moveTo(path) {
      const changed = await change('PATCH', '', { url: origin + path });
      changes.push({ ...changed, kind: 'path', value: path }, { ...changed, kind: 'state', value: 'paused' });
      await sendTestDelivery(owner, id);
      await activate({ backfill: false });
    },
  };
}
