import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { DeliveryService } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { type BulkReplay, REPLAYED_STATES } from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type { ShownStatistics } from '@partner/proto-contracts/resources/statistics/statistics';
import type { WebhookEvent } from '@partner/proto-contracts/resources/event/event';
import { type Attempt, ATTEMPT_EXAMPLE } from '@partner/proto-contracts/resources/attempt/attempt';
import type { Delivery } from '@partner/proto-contracts/resources/delivery/delivery';
import { type RpcService, rpcService } from '@partner/kernel/amqp/rpc-service';
import { newId } from '@partner/kernel/ids';
import { invariant } from '@partner/kernel/invariant';
import { notFound, ServiceError } from '@partner/kernel/service-error';
import { nextCursorOf, resourceResponse } from './resource-response.js';

/** Deliveries of a company, newest first. */
export interface FakeDeliveries {
  readonly deliveries: Delivery[];
  readonly replays: BulkReplay[];
}

interface OfSubscription {
  readonly companyId?: string | undefined;
  readonly subscriptionId?: string | undefined;
  readonly actingMembershipId?: string | undefined;
}

/**
 * Creates a `DeliveryService` over in-memory companies. `ask` records the call and returns the company. `askOf` also
 * fails with `not_found` for another company's subscription.
 */
export function createFakeDeliveryService(deps: {
  readonly now: Date;
  readonly ask: (
    method: string,
    companyId: string | undefined,
    actingMembershipId: string | undefined,
  ) => FakeDeliveries;
  readonly askOf: (method: string, request: OfSubscription) => FakeDeliveries;
}): RpcService {
  const { ask, askOf } = deps;
  const now = formatDateTime(deps.now);
  let measurements = 0;

  function deliveryOf(
    method: string,
    request: OfSubscription & { readonly deliveryId?: string | undefined },
  ) {
    const company = ask(method, request.companyId, request.actingMembershipId);
    const delivery = company.deliveries.find(({ id }) => id === request.deliveryId);
    if (delivery === undefined) throw notFound('webhook delivery');
    return { company, delivery };
  }

  function replayOf(method: string, request: OfSubscription & { readonly replayId?: string | undefined }) {
    const { replays } = ask(method, request.companyId, request.actingMembershipId);
    const replay = replays.find(({ id }) => id === request.replayId);
    if (replay === undefined) throw notFound('bulk replay');
    return replay;
  }

  return rpcService(DeliveryService, {
    listDeliveries: (request) => {
      const {
        subscriptionId,
        beforeDeliveryId,
        state,
        event,
        from,
        to,
        resourceId,
        search,
        limit = 50,
      } = request;
      const { deliveries } =
        subscriptionId === undefined
          ? ask('listDeliveries', request.companyId, undefined)
          : askOf('listDeliveries', request);
      const createdMs = deps.now.getTime();
      const matching = deliveries
        .filter((delivery) => subscriptionId === undefined || delivery.subscriptionId === subscriptionId)
        .filter(({ id }) => beforeDeliveryId === undefined || id < beforeDeliveryId)
        .filter((delivery) => state === undefined || delivery.state === state)
        .filter((delivery) => event === undefined || delivery.event === event)
        .filter((delivery) => resourceId === undefined || delivery.resource.id === resourceId)
        .filter(({ id, eventId }) => search === undefined || [id, eventId].includes(search))
        .filter((delivery) => isNumbered(delivery, request))
        .filter(() => from === undefined || timestampDate(from).getTime() <= createdMs)
        .filter(() => to === undefined || createdMs < timestampDate(to).getTime());
      return resourceResponse({
        deliveries: matching.slice(0, limit).map((delivery) => ({ ...delivery, lastAttempt: null })),
        nextCursor: nextCursorOf(matching, limit),
      });
    },
    getDelivery: (request) => {
      const { delivery } = deliveryOf('getDelivery', request);
      return resourceResponse({
        delivery,
        attempts: [timedOutAttempt(now)],
        body: '{"event":"install.test"}',
      });
    },
    replayDelivery: (request) => {
      const { company, delivery } = deliveryOf('replayDelivery', request);
      const underWay = company.deliveries.find(({ replayOf: of }) => of === delivery.id);
      if (underWay !== undefined) {
        throw new ServiceError('replay_in_progress', `${underWay.id} sends this event already`);
      }
      const replay: Delivery = { ...delivery, id: newId('dlv'), state: 'pending', replayOf: delivery.id };
      company.deliveries.unshift(replay);
      return resourceResponse(replay);
    },
    retryDelivery: (request) => resourceResponse(deliveryOf('retryDelivery', request).delivery),
    previewBulkReplay: (request) => {
      const { deliveries } = askOf('previewBulkReplay', request);
      const [first] = deliveries;
      return resourceResponse({
        deliveries: deliveries.length,
        atLeast: true,
        oldest: first === undefined ? null : now,
        newest: first === undefined ? null : now,
        resourceCount: first === undefined ? 0 : 1,
        resources: first === undefined ? [] : [{ ...first.resource, deliveries: deliveries.length }],
        estimatedMinutes: Math.ceil(deliveries.length / (request.perMinute ?? 0)),
      });
    },
    createBulkReplay: (request) => {
      const { replays, deliveries } = askOf('createBulkReplay', request);
      const { states, event, from, to } = request.selection ?? {};
      invariant(from !== undefined && to !== undefined, 'the console names the span');
      const replay: BulkReplay = {
        id: newId('rpl'),
        subscriptionId: request.subscriptionId ?? '',
        kind: 'replay',
        states: REPLAYED_STATES.filter((state) => states?.includes(state)),
        event: event ?? null,
        from: formatDateTime(timestampDate(from)),
        to: formatDateTime(timestampDate(to)),
        perMinute: request.perMinute ?? 0,
        state: 'running',
        total: deliveries.length,
        atLeast: true,
        queued: 0,
        createdAt: now,
        finishedAt: null,
      };
      replays.unshift(replay);
      return resourceResponse(replay);
    },
    listBulkReplays: (request) => {
      const { replays } = askOf('listBulkReplays', request);
      const { beforeReplayId, limit = 50 } = request;
      const matching = replays.filter(({ id }) => beforeReplayId === undefined || id < beforeReplayId);
      return resourceResponse({
        replays: matching.slice(0, limit),
        nextCursor: nextCursorOf(matching, limit),
      });
    },
    getBulkReplay: (request) => resourceResponse(replayOf('getBulkReplay', request)),
    cancelBulkReplay: (request) => {
      const replay = replayOf('cancelBulkReplay', request);
      replay.state = 'cancelled';
      replay.finishedAt = now;
      return resourceResponse(replay);
    },
    listEvents: (request) => {
      const { beforeEventId, event, resourceId, limit = 50 } = request;
      const matching = ask('listEvents', request.companyId, undefined)
        .deliveries.map((delivery) => ({ ...eventOf(delivery, now), deliveryStates: [delivery.state] }))
        .filter(({ id }) => beforeEventId === undefined || id < beforeEventId)
        .filter((each) => event === undefined || each.event === event)
        .filter((each) => resourceId === undefined || each.resource.id === resourceId);
      return resourceResponse({
        events: matching.slice(0, limit),
        nextCursor: nextCursorOf(matching, limit),
        explanation: null,
      });
    },
    getEvent: (request) => {
      const { deliveries } = ask('getEvent', request.companyId, undefined);
      const delivery = deliveries.find(({ eventId }) => eventId === request.eventId);
      if (delivery === undefined) throw notFound('event');
      return resourceResponse({
        event: eventOf(delivery, now),
        body: '{"event":"install.test"}',
        subscriptions: [
          {
            subscriptionId: delivery.subscriptionId,
            verdict: 'queued',
            explanation: 'A delivery was queued.',
            deliveries: [{ delivery, attempts: [] }],
          },
          {
            subscriptionId: newId('whk'),
            verdict: 'not_subscribed',
            explanation: 'It did not name the event.',
            deliveries: [],
          },
        ],
      });
    },
    getSubscriptionStatistics: (request) => {
      const { deliveries } = askOf('getSubscriptionStatistics', request);
      const own = deliveries.filter(({ subscriptionId }) => subscriptionId === request.subscriptionId);
      return resourceResponse({
        webhookId: request.subscriptionId ?? '',
        ...statisticsOf(own.length, request),
      });
    },
    getCompanyStatistics: (request) => {
      const { deliveries } = ask('getCompanyStatistics', request.companyId, undefined);
      const ids = [...new Set(deliveries.map(({ subscriptionId }) => subscriptionId))].sort();
      return resourceResponse({
        webhooks: ids.map((id) => totalsOf(id, deliveries)),
        trendMinutes: 30,
        ...statisticsOf(deliveries.length, request),
      });
    },
    getServiceStatus: () => {
      measurements += 1;
      return resourceResponse({
        status: 'operational',
        webhookDelayMs: measurements,
        failingWebhooksPercent: null,
        restoredTo: null,
        checkedAt: now,
      });
    },
  });
}

/** The only attempt of every delivery: its endpoint never responded. */
function timedOutAttempt(startedAt: string): Attempt {
  return {
    ...ATTEMPT_EXAMPLE,
    deliveryId: newId('dlv'),
    startedAt,
    durationMs: 10_000,
    outcome: 'timed_out',
    responseStatus: null,
    responseHeaders: null,
    error: 'no response within 10 seconds',
    remoteAddress: null,
    exchange: {
      ...ATTEMPT_EXAMPLE.exchange,
      addresses: ['192.0.2.1'],
      connectMs: null,
      tlsMs: null,
      tlsProtocol: null,
      certificate: null,
      firstByteMs: null,
    },
  };
}

function eventOf(delivery: Delivery, now: string): WebhookEvent {
  return {
    id: delivery.eventId,
    event: delivery.event,
    occurredAt: now,
    committedAt: now,
    resource: { ...delivery.resource, version: 1 },
    summary: null,
    schemaVersion: 1,
    requestId: null,
    isTest: false,
  };
}

function isNumbered(
  { number }: Delivery,
  { fromNumber, toNumber }: Readonly<Partial<Record<'fromNumber' | 'toNumber', string | undefined>>>,
): boolean {
  if (fromNumber === undefined && toNumber === undefined) return true;
  return number !== null && number >= Number(fromNumber ?? 1) && number <= Number(toNumber ?? Infinity);
}

function countsOf(attempts: number) {
  return {
    attempts,
    delivered: attempts,
    failed: 0,
    deadLettered: 0,
    p50Ms: attempts > 0 ? 84 : null,
    p95Ms: attempts > 0 ? 231 : null,
  };
}

/** Counts one attempt of each delivery of a subscription. */
function totalsOf(id: string, deliveries: readonly Delivery[]) {
  const own = deliveries.filter(({ subscriptionId }) => subscriptionId === id);
  return { webhookId: id, totals: countsOf(own.length), trend: [], retrying: 0, held: 0 };
}

/** Counts one attempt of each delivery, all in the first bucket of the span. */
function statisticsOf(
  attempts: number,
  span: { from?: Timestamp | undefined; to?: Timestamp | undefined },
): Omit<ShownStatistics, 'webhookId'> {
  invariant(span.from !== undefined && span.to !== undefined, 'the console names the span');
  const counts = countsOf(attempts);
  return {
    bucketMinutes: 5,
    buckets: attempts === 0 ? [] : [{ startsAt: formatDateTime(timestampDate(span.from)), ...counts }],
    totals: counts,
  };
}
