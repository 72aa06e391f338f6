import { invariant } from '@partner/kernel/process/invariant';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { ServiceError } from '@partner/kernel/process/service-error';
import { recordAudit } from '../../audit/record-audit.js';
import type { Database, Queryable, TransactionLimits } from '../../database/database.js';
import { lockSubscription, type OwnersSubscription } from './get-subscription.js';
import { startBackfill } from './start-backfill.js';
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-resource.js';

/** Maximum number of events of a pause that are counted for a back-fill. */
const MAX_EVENTS_COUNTED = 100_000;

/** A subscription after its activation. */
export interface Activation {
  readonly subscription: SubscriptionRow;
  /** The back-fill that was started or still runs; undefined if none was requested or none runs. */
  readonly backfillId: string | undefined;
}

/**
 * Activates a subscription: matching events are queued from now on, and held deliveries resume gradually.
 *
 * The backlog does not slow down the activation. With `backfill` it also queues the events since the pause, or since the
 * creation if the subscription never was active. An active subscription stays unchanged and starts no back-fill: the result
 * then has the back-fill that still runs. Fails with `not_found` for a subscription that the company does not have, and with
 * `test_delivery_required` unless a test delivery to the current URL got a 2xx. It also fails so while no one has the secret that
 * would sign, or if only a later secret has signed an accepted test: the receiver could verify nothing.
 *
 * Atomic: the activation and the start of the back-fill. Lock: the subscription.
 */
export async function activateSubscription(
  deps: {
    readonly database: Pick<Database, 'transaction'>;
    readonly logger: Pick<Logger, 'info'>;
    readonly clock: () => Date;
  },
  request: OwnersSubscription & { readonly backfill: boolean },
  limits: TransactionLimits = {},
): Promise<Activation> {
  const { companyId, subscriptionId, actor } = request;
  const { wasPaused, ...activation } = await deps.database.transaction(async (tx) => {
    const before = await lockSubscription(tx, request);
    if (before.state === 'active') {
      const backfillId = request.backfill ? await runningBackfill(tx, subscriptionId) : undefined;
      return { subscription: before, backfillId, wasPaused: false };
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
    const [active] = await tx.query<SubscriptionRow>(
      `update subscriptions s set state = 'active', paused_at = null, updated_at = $2 where s.id = $1
       returning ${SUBSCRIPTION_COLUMNS}`,
      [subscriptionId, now],
    );
    invariant(active && before.pausedAt, 'the locked row is there, and was paused at a time');
    const backfill = request.backfill
      ? await startBackfill(tx, {
          companyId,
          subscriptionId,
          from: before.pausedAt,
          to: now,
          maxCounted: MAX_EVENTS_COUNTED,
        })
      : undefined;
    await recordAudit(tx, {
      companyId,
      actor,
      action: 'webhook.activated',
      subject: { type: 'webhook', id: subscriptionId },
      details: { backfillId: backfill?.id ?? null },
    });
    tx.wakeAfterCommit('subscriptions');
    tx.announceAfterCommit(companyId, [subscriptionId]);
    return { subscription: active, backfillId: backfill?.id, wasPaused: true };
  }, limits);
  if (wasPaused) {
    const { backfillId } = activation;
    deps.logger.info(
      { subscriptionId, companyId, membershipId: actor?.membershipId, backfillId },
      'subscription.activated',
    );
  }
  return activation;
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
