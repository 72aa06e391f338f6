import { randomBytes } from 'node:crypto';
import type { Client, HandlerContext } from '@connectrpc/connect';
import type { EndpointService } from '@partner/proto-contracts/gen/partner/webhooks/v1/endpoint_service_pb';
import { subscriptionIn } from '@partner/proto-contracts/public-api/console';
import { CURRENT_SCHEMA_VERSION } from '@partner/proto-contracts/public-api/versions';
import type { CompanyClassName } from '@partner/proto-contracts/public-api/webhook-events';
import { invalidArgument, validate } from '@partner/runtime/http/validation';
import { newId } from '@partner/runtime/ids';
import { invariant } from '@partner/runtime/invariant';
import type { Logger } from '@partner/runtime/logger';
import { type SealingKeys, sealSecret } from '@partner/runtime/secret-sealing';
import { notFound, ServiceError } from '@partner/runtime/service-error';
import type { Database, Transaction } from '../database/database.js';
import { eventViolations } from './allowed-events.js';
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-message.js';

/** Subscriptions of one company at most, so that one event makes a bounded number of deliveries. */
export const MAX_SUBSCRIPTIONS_PER_COMPANY = 50;

const FIRST_VERSION = 1;
/** Of the time that the caller waits, what is kept for the database after the question about the URL. */
const KEPT_FOR_DATABASE_MS = 500;

/** What the creation of subscriptions works with. */
export interface CreateSubscriptionDeps {
  readonly database: Pick<Database, 'transaction'>;
  readonly endpoints: Client<typeof EndpointService>;
  readonly sealingKeys: SealingKeys;
  readonly logger: Pick<Logger, 'info'>;
  readonly clock: () => Date;
}

/** The subscription that an owner asks for. */
export interface SubscriptionToCreate {
  readonly companyId: string;
  readonly companyClass: CompanyClassName;
  readonly url: string;
  /** Event names, or `group.*`. */
  readonly events: readonly string[];
  readonly description: string | undefined;
  /** The current one when not given. */
  readonly schemaVersion: number | undefined;
}

/** For how long the caller still waits. */
export type Caller = Pick<HandlerContext, 'timeoutMs' | 'signal'>;

/**
 * Makes a paused subscription with its first secret, which is kept sealed and given out only here. An event that is named
 * twice is kept once. Fails with `invalid_argument` for an event that the company's class may not have (`events.<index>`),
 * a URL that the dispatcher's rules refuse (`url`), a schema version that does not exist, or one subscription too many; with
 * `unavailable` when the dispatcher does not answer in the time that the caller waits. For a caller who no longer waits
 * nothing is made.
 *
 * Lock: the company, so that subscriptions created at the same time are counted one after another.
 */
export async function createSubscription(
  deps: CreateSubscriptionDeps,
  request: SubscriptionToCreate,
  caller: Caller,
): Promise<{ readonly subscription: SubscriptionRow; readonly secret: string }> {
  const { companyId, companyClass } = request;
  const checked = validate(subscriptionIn, request, 'subscription');
  if (!checked.valid) throw invalidArgument(checked.violations);
  const { events, description = '', schemaVersion = CURRENT_SCHEMA_VERSION } = checked.value;
  const violations = eventViolations(events, companyClass);
  if (schemaVersion > CURRENT_SCHEMA_VERSION) {
    violations.push({ path: 'schemaVersion', message: `must be from 1 to ${CURRENT_SCHEMA_VERSION}` });
  }
  if (violations.length > 0) throw invalidArgument(violations);
  const url = await checkEndpoint(deps.endpoints, checked.value.url, caller);
  refuseWhenOverdue(caller);

  const id = newId('whk');
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const sealed = sealSecret(deps.sealingKeys, { subscriptionId: id, version: FIRST_VERSION }, secret);
  const subscription = await deps.database.transaction(
    async (tx) => {
      await claimPlace(tx, companyId);
      refuseWhenOverdue(caller);
      const [row] = await tx.query<SubscriptionRow>(
        `with s as (
         insert into subscriptions
           (id, company_id, url, description, events, schema_version, secret_version, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $8)
         returning *
       ), secret as (
         insert into subscription_secrets (subscription_id, version, sealed, created_at)
         select s.id, s.secret_version, $9, s.created_at from s
       )
       select ${SUBSCRIPTION_COLUMNS} from s`,
        [
          id,
          companyId,
          url,
          description,
          [...new Set(events)],
          schemaVersion,
          FIRST_VERSION,
          deps.clock(),
          sealed,
        ],
      );
      invariant(row, 'an insert gives its row');
      return row;
    },
    { timeoutMs: caller.timeoutMs() },
  );
  deps.logger.info({ subscriptionId: id, companyId, events: subscription.events }, 'subscription.created');
  return { subscription, secret };
}

/** The URL's normalised form. */
async function checkEndpoint(
  endpoints: Client<typeof EndpointService>,
  url: string,
  caller: Caller,
): Promise<string> {
  const leftMs = caller.timeoutMs();
  const limits = {
    signal: caller.signal,
    ...(leftMs !== undefined && { timeoutMs: leftMs - KEPT_FOR_DATABASE_MS }),
  };
  const verdict = await endpoints.checkEndpoint({ url }, limits).catch((cause: unknown) => {
    throw new ServiceError('unavailable', 'the endpoint URL can not be checked now; nothing was created', {
      retryAfterSeconds: 1,
      cause,
    });
  });
  if (verdict.allowed !== true) {
    throw invalidArgument([{ path: 'url', message: verdict.refusal ?? 'is refused' }]);
  }
  invariant(verdict.normalizedUrl, 'an allowed URL comes normalised');
  return verdict.normalizedUrl;
}

function refuseWhenOverdue(caller: Caller): void {
  if ((caller.timeoutMs() ?? 1) > 0) return;
  throw new ServiceError('unavailable', 'it took too long; nothing was created', { retryAfterSeconds: 1 });
}

async function claimPlace(tx: Transaction, companyId: string): Promise<void> {
  const [company] = await tx.query('select 1 from companies where id = $1 for no key update', [companyId]);
  if (company === undefined) throw notFound('company');
  const [taken] = await tx.query<{ count: number }>(
    'select count(*)::integer as count from subscriptions where company_id = $1',
    [companyId],
  );
  if (taken !== undefined && taken.count >= MAX_SUBSCRIPTIONS_PER_COMPANY) {
    throw new ServiceError(
      'invalid_argument',
      `a company can have at most ${MAX_SUBSCRIPTIONS_PER_COMPANY} webhook subscriptions`,
    );
  }
}
