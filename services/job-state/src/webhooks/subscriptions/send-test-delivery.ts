import { CURRENT_SCHEMA_VERSION } from '@partner/proto-contracts/api/versions';
import {
  EVENT_CATALOGUE,
  type EventName,
  eventsMatching,
} from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import { webhookExample } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { sortedHeaders } from '@partner/proto-contracts/resources/subscription/custom-headers';
import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import type { testDeliveryIn } from '@partner/proto-contracts/resources/subscription/subscription';
import { idFloor, newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { invalidArgument } from '@partner/kernel/process/validation';
import { HEADERS_VERSION, sealSecret } from '@partner/kernel/security/secret-sealing';
import { ServiceError } from '@partner/kernel/process/service-error';
import { currentRequestId } from '@partner/kernel/telemetry/request-context';
import { injectTrace } from '@partner/kernel/telemetry/tracing';
import type { z } from 'zod';
import { lockCompany } from '../../access/lock-company.js';
import { queryWithin, type Transaction } from '../../database/database.js';
import { DELIVERY_COLUMNS, type DeliveryRow } from '../deliveries/delivery-columns.js';
import { ofEvent, queueDeliveries } from '../deliveries/queue-delivery.js';
import { type EnvelopeContent, renderEnvelope } from '../events/render-envelope.js';
import { changeSubscription } from './change-subscription.js';
import { checkEndpoint } from './check-endpoint.js';
import { createSecret } from './create-secret.js';
import type { CreateSubscriptionDeps } from './create-subscription.js';
import { getSubscription, type OwnersSubscription, type SubscriptionOfCompany } from './get-subscription.js';
import { secretVersionMismatch } from './rotate-secret.js';
import type { SubscriptionRow } from './subscription-resource.js';
import { deliveriesWaiting } from '../deliveries/releaser.js';

/** Maximum number of test deliveries of one subscription within {@link TEST_WINDOW_MS}. */
export const MAX_TEST_DELIVERIES = WEBHOOK_LIMITS.testsPerSubscription;
/**
 * Maximum number of test deliveries of all subscriptions of one company within {@link TEST_WINDOW_MS}, deleted ones included.
 */
export const MAX_TEST_DELIVERIES_OF_COMPANY = WEBHOOK_LIMITS.testsPerCompany;

const TEST_WINDOW_MS = WEBHOOK_LIMITS.testWindowSeconds * 1_000;
/** Ids carry the time by the clock of the replica that created them. */
const MAX_CLOCK_SKEW_MS = 60_000;

const TESTED = ['webhook.tested', 'subscription.test_queued'] as const;

type TestToSend = OwnersSubscription & NonNullable<z.output<typeof testDeliveryIn>>;

/**
 * Queues an `install.test` event, or the catalogue's example of another event, for one subscription only, paused or not.
 *
 * Once it is delivered to the subscription's current URL, that URL is verified. With `secretVersion` it is signed with that
 * secret, so that a pending one can be tried before its activation. With `wrongSignature` a random secret signs it: it proves
 * that the receiver verifies signatures if the receiver refuses it. It has one attempt and verifies no URL.
 *
 * With `url` it goes there, with the headers of the request in place of the stored ones, and once: an accepted one allows a switch to
 * that URL (see `updateSubscription`), and does not verify the current one. Fails with
 * - `not_found` for a subscription that the company does not have;
 * - `invalid_argument` for an event that the company's class may not have, and for a URL that is refused or the current one;
 * - `secret_version_mismatch` for a secret that is neither current nor pending;
 * - `rate_limited` after 10 within 60 s, or 60 of the company's subscriptions together.
 *
 * Locks: the subscription, then the company, which serializes the count of concurrent tests.
 */
export async function sendTestDelivery(
  deps: CreateSubscriptionDeps,
  request: TestToSend,
): Promise<DeliveryRow> {
  const { companyId, subscriptionId, wrongSignature = false, event = 'install.test' } = request;
  const other = await otherUrl(deps, request);
  const now = deps.clock();
  const [eventId, deliveryId] = [newId('evt'), newId('dlv')];
  return changeSubscription(deps, request, TESTED, async (tx, subscription) => {
    if (request.secretVersion !== undefined) refuseUnknownSecret(subscription, request.secretVersion);
    refuseCurrentUrl(subscription, other);
    const isTrial = wrongSignature || other !== undefined;
    const secretVersion = request.secretVersion ?? (isTrial ? subscription.secretVersion : null);
    const wrongSecret =
      wrongSignature && secretVersion !== null
        ? createSecret(deps.sealingKeys, { ownerId: subscriptionId, version: secretVersion }).sealed
        : null;
    const example = exampleOf(event, await lockCompany(tx, companyId), subscriptionId);
    await refuseTooMany(tx, request, now);
    const { resource } = example;
    const [delivery] = await tx.query<DeliveryRow>(
      `with event as (
         insert into events
           (id, company_id, name, schema_version, occurred_at, resource_type, resource_id, resource_version, body,
            trace_parent, request_id, created_at, test_subscription_id, sequence)
         values ($1, $2, $14, $3, $4, $5, $6, $7, $8, $9, $10, $4, $15, 0)
         returning *
       ), d as (
         ${queueDeliveries(
           {
             ...ofEvent('event'),
             id: '$11',
             subscriptionId: 'event.test_subscription_id',
             isTest: 'true',
             createdAt: 'event.created_at',
             secretVersion: '$12',
             wrongSecret: '$13',
             testUrl: '$16',
             testHeaders: '$17',
           },
           'event',
         )}
         returning *
       )
       select ${DELIVERY_COLUMNS} from d`,
      [
        eventId,
        companyId,
        CURRENT_SCHEMA_VERSION,
        now,
        resource.type,
        resource.id,
        resource.version,
        renderEnvelope({ ...example, eventId, occurredAt: now }),
        injectTrace()['traceparent'] ?? null,
        currentRequestId() ?? null,
        deliveryId,
        secretVersion,
        wrongSecret,
        event,
        subscriptionId,
        other?.url ?? null,
        other?.sealedHeaders ?? null,
      ],
    );
    invariant(delivery, 'an insert gives its row');
    deliveriesWaiting.tell(tx, subscriptionId);
    return {
      result: delivery,
      details: {
        ...{ deliveryId, event, secretVersion },
        ...(wrongSignature && { wrongSignature }),
        ...(other !== undefined && { url: other.url }),
      },
      logged: { deliveryId, event },
    };
  });
}

interface OtherUrl {
  readonly url: string;
  readonly sealedHeaders: Buffer | undefined;
}

/** Checks the URL of a test, and seals its headers; undefined for a test of the subscription's URL. */
async function otherUrl(deps: CreateSubscriptionDeps, request: TestToSend): Promise<OtherUrl | undefined> {
  const { url, headers, companyId, subscriptionId, timeoutMs } = request;
  if (url === undefined) return undefined;
  // Before the URL check, so that a company cannot trigger DNS lookups through another company's subscription.
  await getSubscription(queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() }), request);
  const owner = { ownerId: subscriptionId, version: HEADERS_VERSION };
  const values = headers && sortedHeaders(headers.map(({ name, value }) => [name, value]));
  return {
    url: await checkEndpoint(deps.endpoints, url, request),
    sealedHeaders: values && sealSecret(deps.sealingKeys, owner, JSON.stringify(values)),
  };
}

function refuseCurrentUrl(subscription: SubscriptionRow, other: OtherUrl | undefined): void {
  if (other === undefined || other.url !== subscription.url) return;
  const message = 'must not be the current URL of the subscription; to test that URL, omit this field';
  throw invalidArgument([{ path: 'url', message }]);
}

/** What a test delivery of an event is about. Refuses an event that the class may not have. */
function exampleOf(
  event: EventName,
  companyClass: CompanyClassName,
  subscriptionId: string,
): Pick<EnvelopeContent<EventName>, 'event' | 'resource' | 'changed' | 'data'> {
  if (eventsMatching(event, companyClass).length === 0) {
    const allowed = Object.keys(EVENT_CATALOGUE).filter(
      (name) => eventsMatching(name, companyClass).length > 0,
    );
    const message = `must be an event that a company of class ${companyClass} can receive; allowed: ${allowed.join(', ')}`;
    throw invalidArgument([{ path: 'event', message }]);
  }
  if (event === 'install.test') {
    return {
      event,
      resource: { type: 'webhook_subscription', id: subscriptionId, version: 1 },
      data: { subscriptionId, message: 'This is a test delivery. It is safe to ignore.' },
    };
  }
  const { resource, changed, data } = webhookExample(event);
  return {
    ...{ event, resource, data: EVENT_CATALOGUE[event].data.parse(data) },
    ...(changed !== undefined && { changed }),
  };
}

function refuseUnknownSecret(subscription: SubscriptionRow, wanted: number): void {
  const { secretVersion, pendingSecretVersion } = subscription;
  if (wanted === secretVersion || wanted === pendingSecretVersion) return;
  throw secretVersionMismatch('secretVersion', wanted, subscription);
}

async function refuseTooMany(
  tx: Transaction,
  { companyId, subscriptionId }: SubscriptionOfCompany,
  now: Date,
): Promise<void> {
  const begin = new Date(now.getTime() - TEST_WINDOW_MS);
  const tests = await tx.query<{ subscriptionId: string; createdAt: Date }>(
    `select d.subscription_id as "subscriptionId", d.created_at as "createdAt" from (
       select subscription_id, created_at from deliveries where company_id = $1 and created_at > $2 and is_test
       union all
       select subscription_id, created_at from finished_deliveries
       where company_id = $1 and created_at > $2 and is_test and id >= $4
     ) d
     order by d.created_at desc limit $3`,
    [
      companyId,
      begin,
      MAX_TEST_DELIVERIES_OF_COMPANY,
      idFloor('dlv', new Date(begin.getTime() - MAX_CLOCK_SKEW_MS)),
    ],
  );
  const own = tests.filter((test) => test.subscriptionId === subscriptionId);
  refuseFrom(own, MAX_TEST_DELIVERIES, 'a subscription', now);
  refuseFrom(tests, MAX_TEST_DELIVERIES_OF_COMPANY, 'all subscriptions of a company together', now);
}

/** The tests within the window, newest first. At the limit, the oldest of them has to leave the window before the next test. */
function refuseFrom(
  tests: readonly { readonly createdAt: Date }[],
  limit: number,
  receiver: string,
  now: Date,
): void {
  const oldestThatCounts = tests[limit - 1];
  if (oldestThatCounts === undefined) return;
  const freeInMs = oldestThatCounts.createdAt.getTime() + TEST_WINDOW_MS - now.getTime();
  throw new ServiceError(
    'rate_limited',
    `at most ${limit} test deliveries can be sent to ${receiver} within ${WEBHOOK_LIMITS.testWindowSeconds} s`,
    { retryAfterSeconds: Math.max(1, Math.ceil(freeInMs / 1_000)) },
  );
}
