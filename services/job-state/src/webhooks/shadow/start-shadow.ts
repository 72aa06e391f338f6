import { SHADOW_LIMITS, shadowIn } from '@partner/proto-contracts/resources/shadow/shadow';
import { isSameHost, sortedHeaders } from '@partner/proto-contracts/resources/subscription/custom-headers';
import type { Publisher } from '@partner/kernel/amqp/publisher';
import { idFloor, newId } from '@partner/kernel/ids';
import { invariant } from '@partner/kernel/invariant';
import type { Logger } from '@partner/kernel/logger';
import { currentRequestId } from '@partner/kernel/request-context';
import { HEADERS_VERSION, sealSecret, SHADOW_HEADERS_VERSION } from '@partner/kernel/secret-sealing';
import { ServiceError } from '@partner/kernel/service-error';
import { injectTrace } from '@partner/kernel/telemetry/tracing';
import { invalidArgument, validate } from '@partner/kernel/validation';
import { recordAudit } from '../../audit/record-audit.js';
import type { LeasedDelivery } from '../../database/after-commit.js';
import { type Database, queryWithin, type Queryable, type Transaction } from '../../database/database.js';
import { renderEnvelope } from '../events/render-envelope.js';
import { SEALED_HEADERS } from '../schedule/claim-due.js';
import { publishCommands } from '../schedule/release-batch.js';
import { DURATION_SLOTS } from '../statistics/duration-histogram.js';
import { type Caller, checkEndpoint } from '../subscriptions/check-endpoint.js';
import { writeSecret } from '../subscriptions/create-secret.js';
import type { CreateSubscriptionDeps } from '../subscriptions/create-subscription.js';
import {
  getSubscription,
  lockSubscription,
  type OwnersSubscription,
} from '../subscriptions/get-subscription.js';
import { SHADOW_COLUMNS, type ShadowRow } from './shadow-resource.js';

/** Dependencies of the start of shadows. */
export interface StartShadowDeps extends Pick<CreateSubscriptionDeps, 'endpoints' | 'clock' | 'sealingKeys'> {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  /** For the tests of shadows. */
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly logger: Pick<Logger, 'info'>;
}

/** A shadow to start. */
export interface ShadowToStart extends OwnersSubscription {
  readonly url: string;
  readonly percent: number | undefined;
  readonly hours: number | undefined;
  /** The custom headers of copies; undefined: those of the subscription on the same host, else none. */
  readonly headers: readonly { readonly name: string; readonly value: string }[] | undefined;
}

const NO_DURATIONS = Array.from({ length: DURATION_SLOTS }, () => 0);

/**
 * Sends a test to another URL of a subscription. Once it is accepted with 2xx, deliveries are mirrored there.
 *
 * The test is a command without a delivery: a delivery row would take the URL from its subscription. Its result names the shadow
 * in place of the delivery. Custom headers that are given are sealed beside the signing secrets, and dropped at the end. If the test or its result is lost, the shadow is refused after 60 s. An earlier shadow is replaced.
 * Fails with
 * - `invalid_argument` for a URL that is refused, and for the current one;
 * - `not_found` for a subscription that the company does not have;
 * - `rate_limited` after 10 in 60 s of all subscriptions of the company;
 * - `unavailable` if the broker does not take the test: the shadow is refused after 60 s.
 *
 * Locks: the subscription, then the company, which serializes the count of concurrent starts.
 */
export async function startShadow(
  deps: StartShadowDeps,
  request: ShadowToStart,
  caller: Caller,
): Promise<ShadowRow> {
  const { companyId, subscriptionId, membershipId, actor } = request;
  const checked = validate(shadowIn, request, 'shadow');
  if (!checked.valid) throw invalidArgument(checked.violations);
  const { percent, hours } = checked.value;
  const own =
    checked.value.headers && sortedHeaders(checked.value.headers.map(({ name, value }) => [name, value]));
  const headerNames = own === undefined ? null : Object.keys(own);
  // Before the URL check, so that a company cannot trigger DNS lookups through another company's subscription.
  await getSubscription(queryWithin(deps.database, { companyId, timeoutMs: caller.timeoutMs() }), request);
  const url = await checkEndpoint(deps.endpoints, checked.value.url, caller);

  const id = newId('shd');
  const { shadow, test } = await deps.database.transaction(
    async (tx) => {
      const subscription = await lockSubscription(tx, request);
      if (subscription.url === url) {
        throw invalidArgument([{ path: 'url', message: 'must not be the current URL of the subscription' }]);
      }
      await refuseTooMany(tx, companyId, deps.clock());
      const [row] = await tx.query<ShadowRow>(
        `insert into webhook_shadows as w
           (subscription_id, id, url, percent, state, ends_at, live_durations, shadow_durations, header_names)
         values ($1, $2, $3, $4, 'testing', now() + make_interval(hours => $5), $6, $6, $7)
         on conflict (subscription_id) do update set
           id = excluded.id, url = excluded.url, percent = excluded.percent, state = excluded.state,
           started_at = excluded.started_at, ends_at = excluded.ends_at, test = null, outcomes = default, skipped = default,
           live_durations = excluded.live_durations, shadow_durations = excluded.shadow_durations, differences = default,
           header_names = excluded.header_names
         returning ${SHADOW_COLUMNS}`,
        [subscriptionId, id, url, percent, hours, NO_DURATIONS, headerNames],
      );
      invariant(row, 'an insert gives its row');
      const seal = (version: number) =>
        own && sealSecret(deps.sealingKeys, { subscriptionId, version }, JSON.stringify(own));
      await replaceHeaders(tx, row, subscriptionId, seal(SHADOW_HEADERS_VERSION));
      await recordAudit(tx, {
        companyId,
        actor,
        action: 'webhook.shadow_started',
        subject: { type: 'webhook', id: subscriptionId },
        details: { url, percent, hours, ...(headerNames !== null && { headerNames }) },
      });
      tx.announceAfterCommit(companyId, [subscriptionId]);
      const test = await testOf(tx, { subscriptionId, id, url, now: deps.clock() });
      const stored = isSameHost(subscription.url, url) ? test.sealedHeaders : null;
      return { shadow: row, test: { ...test, sealedHeaders: seal(HEADERS_VERSION) ?? stored } };
    },
    { companyId, timeoutMs: caller.timeoutMs() },
  );
  await publishCommands(deps.publisher, [test]).catch((cause: unknown) => {
    throw new ServiceError('unavailable', 'the test cannot be sent now; start again', {
      retryAfterSeconds: 1,
      cause,
    });
  });
  deps.logger.info({ subscriptionId, companyId, membershipId, shadowId: id }, 'subscription.shadow_started');
  return shadow;
}

/** Stores the headers of the copies until the shadow ends, in place of those of an earlier one. */
async function replaceHeaders(
  tx: Queryable,
  { endsAt }: ShadowRow,
  subscriptionId: string,
  sealed: Buffer | undefined,
): Promise<void> {
  const owner = { subscriptionId, version: SHADOW_HEADERS_VERSION };
  if (sealed !== undefined) return writeSecret(tx, owner, sealed, endsAt);
  await tx.query('delete from subscription_secrets where subscription_id = $1 and version = $2', [
    subscriptionId,
    SHADOW_HEADERS_VERSION,
  ]);
}

async function refuseTooMany(tx: Transaction, companyId: string, now: Date): Promise<void> {
  await tx.query('select 1 from companies where id = $1 for no key update', [companyId]);
  const { startsPerCompany, startWindowSeconds } = SHADOW_LIMITS;
  const begin = new Date(now.getTime() - startWindowSeconds * 1_000);
  const starts = await tx.query(
    `select 1 from audit_entries where company_id = $1 and action = 'webhook.shadow_started' and id >= $2 limit $3`,
    [companyId, idFloor('aud', begin), startsPerCompany],
  );
  if (starts.length < startsPerCompany) return;
  throw new ServiceError(
    'rate_limited',
    `at most ${startsPerCompany} shadows of a company can be started within ${startWindowSeconds} s`,
    { retryAfterSeconds: startWindowSeconds },
  );
}

/** The test of a shadow, as the attempt of a delivery under the shadow's id. The event is not stored. */
async function testOf(
  tx: Queryable,
  { subscriptionId, id, url, now }: { subscriptionId: string; id: string; url: string; now: Date },
): Promise<LeasedDelivery> {
  const [sealed] = await tx.query<
    Pick<
      LeasedDelivery,
      'leasedAt' | 'leaseExpiresAt' | 'urlVersion' | 'secretVersion' | 'sealedSecret' | 'sealedHeaders'
    >
  >(
    `select now() as "leasedAt", now() + make_interval(secs => ${SHADOW_LIMITS.testSeconds}) as "leaseExpiresAt",
       s.url_version as "urlVersion", secret.version as "secretVersion", secret.sealed as "sealedSecret",
       ${SEALED_HEADERS} as "sealedHeaders"
     from subscriptions s
     join subscription_secrets secret on secret.subscription_id = s.id and secret.version = s.secret_version
     where s.id = $1`,
    [subscriptionId],
  );
  invariant(sealed, 'a subscription has a secret');
  const eventId = newId('evt');
  return {
    ...sealed,
    id,
    leaseId: id,
    attempt: 1,
    subscriptionId,
    lastAttemptFailed: false,
    url,
    eventId,
    event: 'install.test',
    isTest: true,
    number: null,
    body: renderEnvelope({
      event: 'install.test',
      eventId,
      occurredAt: now,
      resource: { type: 'webhook_subscription', id: subscriptionId, version: 1 },
      data: { subscriptionId, message: 'This is a test delivery. It is safe to ignore.' },
    }),
    traceParent: injectTrace()['traceparent'] ?? null,
    requestId: currentRequestId() ?? null,
  };
}
