import { isDeepStrictEqual } from 'node:util';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { type HeaderChange } from '@partner/proto-contracts/resources/subscription/custom-headers';
import { normalizedFilter } from '@partner/proto-contracts/resources/subscription/field-filter';
import { isSameHost } from '@partner/proto-contracts/values/same-host';
import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import type { subscriptionChange } from '@partner/proto-contracts/resources/subscription/subscription';
import { invalidArgument } from '@partner/kernel/process/validation';
import type { z } from 'zod';
import { type Queryable, queryWithin } from '../../database/database.js';
import { changeSubscription, setColumns } from './change-subscription.js';
import { checkEndpoint } from './check-endpoint.js';
import { allowedEvents } from './allowed-events.js';
import type { CreateSubscriptionDeps } from './create-subscription.js';
import { getSubscription, type OwnersSubscription, refuseStale } from './get-subscription.js';
import { requireSigningKeys } from '../deliveries/signing-keys.js';
import { storeHeaders } from './store-headers.js';
import type { SubscriptionRow } from './subscription-resource.js';
import { subscriptionStateChanged } from './follow-subscription-state.js';
import { deliveriesWaiting } from '../deliveries/releaser.js';

export interface SubscriptionToUpdate extends OwnersSubscription {
  readonly companyClass: CompanyClassName;
  readonly change: z.output<typeof subscriptionChange>;
  /** When it was last changed, as the caller knows it; undefined: any time. */
  readonly expectedUpdatedAt?: Date | undefined;
}

const FIELDS = [
  'url',
  'events',
  'description',
  'schemaVersion',
  'deliveriesPerSecond',
  'fields',
  'ordered',
  'asymmetricSignature',
] as const;
type Fields = Pick<SubscriptionRow, (typeof FIELDS)[number]>;

const UPDATED = ['webhook.updated', 'subscription.updated'] as const;

/**
 * Changes a subscription and returns it.
 *
 * A URL with another normalised form is not verified: an active subscription becomes paused, and its deliveries are held until
 * it is active again. A URL that has just accepted a test ({@link acceptedTest}) is verified, and the state stays.
 *
 * Values of headers are stored sealed, and are in no log and no audit entry. They stay with their host: a URL with another one fails with
 * `invalid_argument` unless the request names each stored header.
 *
 * Fails as the creation does, with `not_found` for a
 * subscription that the company does not have, and with `stale_version` for one that was changed at another time than expected.
 */
export async function updateSubscription(
  deps: CreateSubscriptionDeps,
  request: SubscriptionToUpdate,
): Promise<SubscriptionRow> {
  const { companyId, subscriptionId, companyClass, change: wanted, timeoutMs } = request;
  const events = wanted.events && allowedEvents(wanted.events, companyClass);
  requireSigningKeys(deps.signingKeys, wanted);
  // Before the URL check, so that a company cannot trigger DNS lookups through another company's subscription.
  await getSubscription(queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() }), request);
  const url = wanted.url === undefined ? undefined : await checkEndpoint(deps.endpoints, wanted.url, request);

  return changeSubscription(deps, request, UPDATED, async (tx, before) => {
    refuseStale(before, request.expectedUpdatedAt);
    const after: Fields = {
      url: url ?? before.url,
      events: [...(events ?? before.events)],
      description: wanted.description ?? before.description,
      schemaVersion: wanted.schemaVersion ?? before.schemaVersion,
      deliveriesPerSecond:
        wanted.deliveriesPerSecond === undefined ? before.deliveriesPerSecond : wanted.deliveriesPerSecond,
      fields: wanted.fields === undefined ? before.fields : normalizedFilter(wanted.fields),
      ordered: wanted.ordered ?? before.ordered,
      asymmetricSignature: wanted.asymmetricSignature ?? before.asymmetricSignature,
    };
    const fields = FIELDS.filter((name) => !isDeepStrictEqual(before[name], after[name]));
    const isTested = fields.includes('url') && (await acceptedTest(tx, companyId, before, after.url));
    const changes = wanted.headers ?? [];
    if (!isSameHost(before.url, after.url)) refuseUnnamedHeaders(before.headerNames, changes);
    const headerNames = await storeHeaders(tx, deps.sealingKeys, { subscriptionId, changes });
    const changed = [...fields, ...(headerNames === undefined ? [] : ['headers'])];
    if (changed.length === 0) return { result: before };
    const result = await setColumns(
      tx,
      subscriptionId,
      `url = $2, events = $3, description = $4, schema_version = $5, updated_at = $6,
       deliveries_per_second = $7, header_names = coalesce($8, s.header_names), fields = $10, ordered = $11,
       asymmetric_signature = $12,
       url_version = case when s.url = $2 then s.url_version else s.url_version + 1 end,
       failures_in_row = case when s.url = $2 then s.failures_in_row else 0 end,
       in_row_since = case when s.url = $2 then s.in_row_since else $6 end,
       failing_since = case when s.url = $2 then s.failing_since end,
       certificate_valid_from = case when s.url = $2 then s.certificate_valid_from end,
       certificate_valid_to = case when s.url = $2 then s.certificate_valid_to end,
       verified_url_version = case when $9 then s.url_version + 1 else s.verified_url_version end,
       verified_secret_version = case when $9 then s.secret_version else s.verified_secret_version end,
       state = case when s.url = $2 or $9 then s.state else 'paused' end,
       paused_at = case when s.url = $2 or $9 then s.paused_at else coalesce(s.paused_at, $6) end`,
      [
        after.url,
        after.events,
        after.description,
        after.schemaVersion,
        deps.clock(),
        after.deliveriesPerSecond,
        headerNames ?? null,
        isTested,
        after.fields,
        after.ordered,
        after.asymmetricSignature,
      ],
    );
    const { state } = result;
    if (state !== before.state) subscriptionStateChanged.tell(tx);
    if (fields.includes('deliveriesPerSecond')) deliveriesWaiting.tell(tx, subscriptionId);
    const values = Object.fromEntries(fields.map((name) => [name, result[name]]));
    return {
      result,
      details: { changed, ...values, ...(headerNames !== undefined && { headerNames }), state },
      logged: { changed, state },
    };
  });
}

/**
 * Whether the URL accepted a test within the last 15 minutes that was signed with the current secret of the locked subscription.
 *
 * Such a test is sent to this URL only, so the time does not matter at which the subscription had which URL.
 */
async function acceptedTest(
  tx: Queryable,
  companyId: string,
  { id, secretVersion }: Pick<SubscriptionRow, 'id' | 'secretVersion'>,
  url: string,
): Promise<boolean> {
  const tests = await tx.query(
    `select from finished_deliveries f
     where f.company_id = $1 and f.is_test and f.created_at > now() - interval '1 day'
       and f.subscription_id = $2 and f.test_url = $3 and f.secret_version = $4 and f.wrong_secret is null
       and f.state = 'delivered' and f.finished_at > now() - make_interval(mins => ${WEBHOOK_LIMITS.testedUrlMinutes})
     limit 1`,
    [companyId, id, url, secretVersion],
  );
  return tests.length > 0;
}

/** Stored values are for the host that they were given for; to drop them silently would break the webhook. */
function refuseUnnamedHeaders(stored: readonly string[], changes: readonly HeaderChange[]): void {
  const named = new Set(changes.map(({ name }) => name));
  const unnamed = stored.filter((name) => !named.has(name));
  if (unnamed.length === 0) return;
  const message = `must contain every custom header again, with its value or null, because the URL has a different host; missing: ${unnamed.join(', ')}`;
  throw invalidArgument([{ path: 'headers', message }]);
}
