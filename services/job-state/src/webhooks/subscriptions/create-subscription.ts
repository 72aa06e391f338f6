import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { normalizedFilter } from '@partner/proto-contracts/resources/subscription/field-filter';
import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import { CURRENT_SCHEMA_VERSION } from '@partner/proto-contracts/api/versions';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import type { KeyList } from '@partner/kernel/process/key-list';
import type { SealingKeys } from '@partner/kernel/security/secret-sealing';
import { ServiceError } from '@partner/kernel/process/service-error';
import { invalidArgument } from '@partner/kernel/process/validation';
import { lockCompany } from '../../access/lock-company.js';
import { type Database, type Queryable, queryWithin } from '../../database/database.js';
import { type ChangeDeps, recordChange } from './change-subscription.js';
import { checkEndpoint, type Endpoints, refuseWhenOverdue } from './check-endpoint.js';
import { allowedEvents } from './allowed-events.js';
import { createSecret, writeSecret } from './create-secret.js';
import type { Caller } from './get-subscription.js';
import { requireSigningKeys } from '../deliveries/signing-keys.js';
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-resource.js';

const FIRST_VERSION = 1;

export interface CreateSubscriptionDeps extends ChangeDeps {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly endpoints: Endpoints;
  readonly sealingKeys: SealingKeys;
  /** Undefined: there are no asymmetric signatures. */
  readonly signingKeys?: KeyList | undefined;
}

export interface SubscriptionToCreate extends Caller {
  readonly companyClass: CompanyClassName;
  readonly url: string;
  readonly events: readonly string[];
  readonly description?: string | undefined;
  /** Absent: the current one. */
  readonly schemaVersion?: number | undefined;
  /** Absent or null: events are sent whatever they change. */
  readonly fields?: SubscriptionRow['fields'] | undefined;
  /** Absent: false. */
  readonly ordered?: boolean | undefined;
  /** Absent: false. */
  readonly asymmetricSignature?: boolean | undefined;
  /** True: no other subscription of the company may have the description. */
  readonly uniqueDescription?: boolean | undefined;
  /** True: the caller shows the secret to no one, so it must be rotated before the activation. */
  readonly dropsSecret?: boolean | undefined;
}

/**
 * Creates a paused subscription with its first secret, from fields that the schema of the creation has accepted.
 *
 * The secret is stored sealed and returned only here. Duplicate events are removed. Fails with
 * - `invalid_argument` for an event that the company's class does not allow (`events.<index>`), a URL that the dispatcher's
 *   rules reject (`url`), a description that must be unique and is not, or asymmetric signatures without signing keys;
 * - `subscription_limit_reached` for one subscription too many, before the dispatcher is called;
 * - `unavailable` if the dispatcher does not respond before the caller's deadline.
 *
 * After the caller's deadline nothing is created.
 *
 * Lock: the company, which serializes the count and the descriptions of concurrent creations.
 */
export async function createSubscription(
  deps: CreateSubscriptionDeps,
  request: SubscriptionToCreate,
): Promise<{ readonly subscription: SubscriptionRow; readonly secret: string }> {
  const { companyId, companyClass, timeoutMs } = request;
  const { description = '', schemaVersion = CURRENT_SCHEMA_VERSION } = request;
  const { ordered = false, asymmetricSignature = false } = request;
  const fields = normalizedFilter(request.fields ?? null);
  const events = allowedEvents(request.events, companyClass);
  requireSigningKeys(deps.signingKeys, request);
  await refuseOneTooMany(queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() }), companyId);
  const url = await checkEndpoint(deps.endpoints, request.url, request);

  const id = newId('whk');
  const owner = { ownerId: id, version: FIRST_VERSION };
  const { secret, sealed } = createSecret(deps.sealingKeys, owner);
  const subscription = await recordChange(deps, request, async (tx) => {
    await lockCompany(tx, companyId);
    await refuseOneTooMany(tx, companyId);
    if (request.uniqueDescription === true) await refuseOther(tx, companyId, description);
    refuseWhenOverdue(request);
    const isShown = request.dropsSecret !== true;
    const [row] = await tx.query<SubscriptionRow>(
      `insert into subscriptions as s
         (id, company_id, url, description, events, schema_version, secret_version, secret_shown, paused_at, created_at,
          updated_at, fields, ordered, asymmetric_signature)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $9, $10, $11, $12)
       returning ${SUBSCRIPTION_COLUMNS}`,
      [
        id,
        companyId,
        url,
        description,
        events,
        schemaVersion,
        FIRST_VERSION,
        isShown,
        deps.clock(),
        fields,
        ordered,
        asymmetricSignature,
      ],
    );
    invariant(row, 'an insert gives its row');
    await writeSecret(tx, owner, sealed);
    return {
      result: row,
      recorded: {
        ...{ subscriptionId: id, action: 'webhook.created', subject: { type: 'webhook', id } },
        details: {
          url,
          events,
          description,
          schemaVersion,
          ...(fields !== null && { fields }),
          ...(ordered && { ordered }),
          ...(asymmetricSignature && { asymmetricSignature }),
        },
        ...{ line: 'subscription.created', logged: { events } },
      },
    };
  });
  return { subscription, secret };
}

async function refuseOther(tx: Queryable, companyId: string, description: string): Promise<void> {
  const [other] = await tx.query<{ id: string }>(
    'select id from subscriptions where company_id = $1 and description = $2 and deleted_at is null limit 1',
    [companyId, description],
  );
  if (other === undefined) return;
  throw invalidArgument([
    {
      path: 'description',
      message: `must be unique, but the subscription ${other.id} already has this description`,
    },
  ]);
}

async function refuseOneTooMany(database: Queryable, companyId: string): Promise<void> {
  const [taken] = await database.query<{ count: number }>(
    'select count(*)::integer as count from subscriptions where company_id = $1 and deleted_at is null',
    [companyId],
  );
  if (taken !== undefined && taken.count >= WEBHOOK_LIMITS.subscriptionsPerCompany) {
    throw new ServiceError(
      'subscription_limit_reached',
      `a company can have at most ${WEBHOOK_LIMITS.subscriptionsPerCompany} webhook subscriptions; delete one first`,
    );
  }
}
