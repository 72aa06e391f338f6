import type { MessageInitShape } from '@bufbuild/protobuf';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import {
  AttemptOutcome,
  type BulkReplaySchema,
  BulkReplayKind,
  BulkReplayState,
  type DeliverySchema,
  DeliveryState,
  DeliveryService,
  EventVerdict,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { type RpcService, rpcService } from '@partner/kernel/amqp/rpc-service';
import { newId } from '@partner/kernel/ids';
import { invariant } from '@partner/kernel/invariant';
import { notFound, ServiceError } from '@partner/kernel/service-error';

/** A delivery of a company in memory. */
export type FakeDelivery = MessageInitShape<typeof DeliverySchema> & { id: string };

/** A bulk replay of a company in memory. */
export type FakeBulkReplay = MessageInitShape<typeof BulkReplaySchema> & { id: string };

/** What a company has, newest first. */
export interface FakeDeliveries {
  readonly deliveries: FakeDelivery[];
  readonly replays: FakeBulkReplay[];
}

interface OfSubscription {
  readonly companyId?: string | undefined;
  readonly subscriptionId?: string | undefined;
  readonly actingMembershipId?: string | undefined;
}

/**
 * Makes a `DeliveryService` over what companies have in memory. `ask` notes the call and gives the company; `askOf` fails as
 * well with `not_found` for a subscription that is not the company's.
 */
export function createFakeDeliveryService(deps: {
  readonly now: Timestamp;
  readonly ask: (
    method: string,
    companyId: string | undefined,
    actingMembershipId: string | undefined,
  ) => FakeDeliveries;
  readonly askOf: (method: string, request: OfSubscription) => FakeDeliveries;
}): RpcService {
  const { now, ask, askOf } = deps;

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

  function eventOf(delivery: FakeDelivery) {
    return {
      id: delivery.eventId ?? '',
      name: delivery.event ?? '',
      occurredAt: now,
      committedAt: now,
      resourceType: delivery.resourceType ?? '',
      resourceId: delivery.resourceId ?? '',
      resourceVersion: 1,
      schemaVersion: 1,
    };
  }

  function countsOf(attempts: number) {
    return {
      delivered: attempts,
      failed: 0,
      deadLettered: 0,
      ...(attempts > 0 && { p50Ms: 84, p95Ms: 231 }),
    };
  }

  /** One attempt of each delivery, all in the bucket that the span begins with. */
  function statisticsOf(
    attempts: number,
    span: { from?: Timestamp | undefined; to?: Timestamp | undefined },
  ) {
    invariant(span.from !== undefined && span.to !== undefined, 'the console names the span');
    const counts = countsOf(attempts);
    return {
      bucketMinutes: 5,
      buckets: attempts === 0 ? [] : [{ startsAt: span.from, counts }],
      totals: counts,
    };
  }

  return rpcService(DeliveryService, {
    listDeliveries: (request) => {
      const { deliveries } = askOf('listDeliveries', request);
      const { beforeDeliveryId, state, event, from, to, resourceId, limit = 50 } = request;
      const createdMs = timestampDate(now).getTime();
      const matching = deliveries
        .filter(({ subscriptionId }) => subscriptionId === request.subscriptionId)
        .filter(({ id }) => beforeDeliveryId === undefined || id < beforeDeliveryId)
        .filter((delivery) => state === undefined || delivery.state === state)
        .filter((delivery) => event === undefined || delivery.event === event)
        .filter((delivery) => resourceId === undefined || delivery.resourceId === resourceId)
        .filter(() => from === undefined || timestampDate(from).getTime() <= createdMs)
        .filter(() => to === undefined || createdMs < timestampDate(to).getTime());
      const page = matching.slice(0, limit);
      const next = matching.length > limit ? page.at(-1)?.id : undefined;
      return {
        deliveries: page,
        ...(next !== undefined && { nextBeforeDeliveryId: next }),
      };
    },
    getDelivery: (request) => {
      const { delivery } = deliveryOf('getDelivery', request);
      return {
        delivery,
        attempts: [
          {
            deliveryId: newId('dlv'),
            number: 1,
            startedAt: now,
            durationMs: 10_000,
            outcome: AttemptOutcome.TIMED_OUT,
            error: 'no answer within 10 seconds',
            secretVersion: 1,
            exchange: { dnsMs: 3, addresses: ['192.0.2.1'], reusedConnection: false },
          },
        ],
        body: new TextEncoder().encode('{"event":"install.test"}'),
      };
    },
    replayDelivery: (request) => {
      const { company, delivery } = deliveryOf('replayDelivery', request);
      const underWay = company.deliveries.find(({ replayOf: of }) => of === delivery.id);
      if (underWay !== undefined) {
        throw new ServiceError('replay_in_progress', `${underWay.id} sends this event already`);
      }
      const replay = { ...delivery, id: newId('dlv'), state: DeliveryState.PENDING, replayOf: delivery.id };
      company.deliveries.unshift(replay);
      return { delivery: replay };
    },
    previewBulkReplay: (request) => {
      const { deliveries } = askOf('previewBulkReplay', request);
      const [first] = deliveries;
      return {
        deliveries: deliveries.length,
        atLeast: true,
        ...(first !== undefined && { oldest: now, newest: now }),
        resourceCount: first === undefined ? 0 : 1,
        resources:
          first === undefined
            ? []
            : [
                {
                  resourceType: first.resourceType ?? '',
                  resourceId: first.resourceId ?? '',
                  deliveries: deliveries.length,
                },
              ],
      };
    },
    createBulkReplay: (request) => {
      const { replays, deliveries } = askOf('createBulkReplay', request);
      const replay = {
        id: newId('rpl'),
        subscriptionId: request.subscriptionId ?? '',
        kind: BulkReplayKind.REPLAY,
        ...(request.selection !== undefined && { selection: request.selection }),
        perMinute: request.perMinute ?? 0,
        state: BulkReplayState.RUNNING,
        total: deliveries.length,
        atLeast: true,
        queued: 0,
        createdAt: now,
      };
      replays.unshift(replay);
      return { replay };
    },
    listBulkReplays: (request) => {
      const { replays } = askOf('listBulkReplays', request);
      const { beforeReplayId, limit = 50 } = request;
      const matching = replays.filter(({ id }) => beforeReplayId === undefined || id < beforeReplayId);
      return { replays: matching.slice(0, limit), hasMore: matching.length > limit };
    },
    getBulkReplay: (request) => ({ replay: replayOf('getBulkReplay', request) }),
    cancelBulkReplay: (request) => {
      const replay = replayOf('cancelBulkReplay', request);
      replay.state = BulkReplayState.CANCELLED;
      replay.finishedAt = now;
      return { replay };
    },
    listEvents: (request) => {
      const { beforeEventId, event, resourceId, limit = 50 } = request;
      const matching = ask('listEvents', request.companyId, undefined)
        .deliveries.map(eventOf)
        .filter(({ id }) => beforeEventId === undefined || id < beforeEventId)
        .filter(({ name }) => event === undefined || name === event)
        .filter((each) => resourceId === undefined || each.resourceId === resourceId);
      const page = matching.slice(0, limit);
      const next = matching.length > limit ? page.at(-1)?.id : undefined;
      return { events: page, ...(next !== undefined && { nextBeforeEventId: next }) };
    },
    getEvent: (request) => {
      const { deliveries } = ask('getEvent', request.companyId, undefined);
      const delivery = deliveries.find(({ eventId }) => eventId === request.eventId);
      if (delivery === undefined) throw notFound('event');
      return {
        event: eventOf(delivery),
        body: new TextEncoder().encode('{"event":"install.test"}'),
        subscriptions: [
          {
            subscriptionId: delivery.subscriptionId ?? '',
            verdict: EventVerdict.QUEUED,
            deliveries: [{ delivery, attempts: [] }],
          },
          { subscriptionId: newId('whk'), verdict: EventVerdict.NOT_SUBSCRIBED },
        ],
      };
    },
    getSubscriptionStatistics: (request) => {
      const { deliveries } = askOf('getSubscriptionStatistics', request);
      const own = deliveries.filter(({ subscriptionId }) => subscriptionId === request.subscriptionId);
      return statisticsOf(own.length, request);
    },
    getCompanyStatistics: (request) => {
      const { deliveries } = ask('getCompanyStatistics', request.companyId, undefined);
      const ids = [...new Set(deliveries.map(({ subscriptionId }) => subscriptionId ?? ''))].sort();
      return {
        ...statisticsOf(deliveries.length, request),
        subscriptions: ids.map((id) => ({
          subscriptionId: id,
          totals: countsOf(deliveries.filter(({ subscriptionId }) => subscriptionId === id).length),
        })),
      };
    },
  });
}
