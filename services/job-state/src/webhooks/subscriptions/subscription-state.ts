import { invariant } from '@partner/kernel/process/invariant';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { Queryable } from '../../database/database.js';
import { dropDeliveryCounts } from '../../database/event-numbers.js';
import { type ChangeDeps, changeSubscription, setColumns } from './change-subscription.js';
import { type OwnersSubscription, refuseStale } from './get-subscription.js';
import { startBackfill } from './start-backfill.js';
import type { SubscriptionRow } from './subscription-resource.js';
import { subscriptionStateChanged } from './follow-subscription-state.js';

/** Maximum number of events of a pause that are counted for a back-fill. */
const MAX_EVENTS_COUNTED = 100_000;

const PAUSED = ['webhook.paused', 'subscription.paused'] as const;
const ACTIVATED = ['webhook.activated', 'subscription.activated'] as const;
const DELETED = ['webhook.deleted', 'subscription.deleted'] as const;

/**
 * Pauses a subscription: from now on no event is queued for it, and its unfinished deliveries are held gradually.
 *
 * The backlog does not slow down the pause. It is idempotent: a repeat keeps the time of the first pause.
 */
export function pauseSubscription(deps: ChangeDeps, request: OwnersSubscription): Promise<SubscriptionRow> {
  return changeSubscription(deps, request, PAUSED, async (tx, before) => {
    if (before.state === 'paused') return { result: before };
    const assignments = `state = 'paused', paused_at = $2, updated_at = $2`;
    const result = await setColumns(tx, before.id, assignments, [deps.clock()]);
    subscriptionStateChanged.tell(tx);
    return { result, details: {} };
  });
}

/**
 * Activates a subscription: matching events are queued from now on, and held deliveries resume gradually.
 *
 * The backlog does not slow down the activation. With `backfill` it also queues the events since the pause, or since the
 * creation if the subscription never was active. An active subscription stays unchanged and starts no back-fill: the result
 * then has the back-fill that still runs. Fails with `test_delivery_required` unless a test delivery to the current URL got a 2xx.
 * It also fails so while no one has the secret that would sign, or if only a later secret has signed an accepted test: the
 * receiver could verify nothing.
 *
 * Atomic: the activation and the start of the back-fill. `backfillId` is the one that was started or still runs; undefined: none.
 */
export function activateSubscription(
  deps: ChangeDeps,
  request: OwnersSubscription & { readonly backfill: boolean },
): Promise<{ readonly subscription: SubscriptionRow; readonly backfillId: string | undefined }> {
  const { companyId, subscriptionId, backfill } = request;
  return changeSubscription(deps, request, ACTIVATED, async (tx, before) => {
    if (before.state === 'active') {
      const backfillId = backfill ? await runningBackfill(tx, subscriptionId) : undefined;
      return { result: { subscription: before, backfillId } };
    }
    if (!before.verified) {
      throw new ServiceError(
        'test_delivery_required',
        'the subscription can be activated after a test delivery to its current URL got a 2xx response; ' +
          'send one and wait until it is delivered',
      );
    }
    refuseUnusableSecret(before);
    const now = deps.clock();
    const assignments = `state = 'active', paused_at = null, updated_at = $2`;
    const subscription = await setColumns(tx, subscriptionId, assignments, [now]);
    const { pausedAt: from } = before;
    invariant(from, 'a paused subscription was paused at a time');
    const span = { companyId, subscriptionId, from, to: now, maxCounted: MAX_EVENTS_COUNTED };
    const backfillId = backfill ? (await startBackfill(tx, span)).id : undefined;
    subscriptionStateChanged.tell(tx);
    return {
      result: { subscription, backfillId },
      details: { backfillId: backfillId ?? null },
      logged: { backfillId },
    };
  });
}

function refuseUnusableSecret({
  secretShown,
  secretVersion,
  verifiedSecretVersion,
}: Pick<SubscriptionRow, 'secretShown' | 'secretVersion' | 'verifiedSecretVersion'>): void {
  if (!secretShown) {
    throw new ServiceError(
      'test_delivery_required',
      'the secret of the subscription was never shown, so no server can verify its deliveries; rotate the secret, ' +
        'then send a test',
    );
  }
  if (verifiedSecretVersion !== null && verifiedSecretVersion > secretVersion) {
    throw new ServiceError(
      'test_delivery_required',
      `the accepted test was signed with version ${verifiedSecretVersion} of the secret, but deliveries are signed with ` +
        `version ${secretVersion}; activate the pending secret with activate-secret, or send a test with version ${secretVersion}`,
    );
  }
}

async function runningBackfill(tx: Queryable, subscriptionId: string): Promise<string | undefined> {
  const [running] = await tx.query<{ id: string }>(
    `select id from bulk_replays where subscription_id = $1 and kind = 'backfill' and state = 'running'`,
    [subscriptionId],
  );
  return running?.id;
}

/**
 * Deletes a subscription and drops its secrets.
 *
 * From then on it is `not_found` for its owner, frees its slot and gets no event. Its unfinished deliveries are cancelled
 * gradually, however large the backlog. Its row stays as long as its deliveries are kept. Fails with `stale_version` for a
 * subscription that was changed at another time than expected.
 *
 * Locks: the subscription, then its secrets, then the numbers of the company.
 */
export function deleteSubscription(
  deps: ChangeDeps,
  request: OwnersSubscription & { readonly expectedUpdatedAt?: Date | undefined },
): Promise<void> {
  const { companyId, subscriptionId } = request;
  return changeSubscription(deps, request, DELETED, async (tx, before) => {
    refuseStale(before, request.expectedUpdatedAt);
    await tx.query(
      `update subscriptions set state = 'paused', paused_at = coalesce(paused_at, $2), deleted_at = $2, updated_at = $2,
         pending_secret_version = null
       where id = $1`,
      [subscriptionId, deps.clock()],
    );
    await tx.query('delete from subscription_secrets where subscription_id = $1', [subscriptionId]);
    dropDeliveryCounts(tx, companyId, subscriptionId);
    subscriptionStateChanged.tell(tx);
    return { result: undefined, details: { url: before.url } };
  });
}
