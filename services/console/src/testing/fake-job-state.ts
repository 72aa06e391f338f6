import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  AccessService,
  type LoginSchema,
} from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import {
  AttemptOutcome,
  type DeliverySchema,
  DeliveryState,
  type GetSubscriptionRequest,
  SubscriptionHealth,
  type SubscriptionSchema,
  SubscriptionService,
  SubscriptionState,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { type RpcService, rpcService } from '@partner/runtime/amqp/rpc-service';
import { newId } from '@partner/runtime/ids';
import { invariant } from '@partner/runtime/invariant';
import { notFound, ServiceError } from '@partner/runtime/service-error';

type Login = MessageInitShape<typeof LoginSchema>;
type Subscription = MessageInitShape<typeof SubscriptionSchema> & { id: string };
type Delivery = MessageInitShape<typeof DeliverySchema> & { id: string };

/** What stands in for job-state: subscriptions and deliveries of several companies in memory, each kept from the others. */
export interface FakeJobState {
  readonly services: readonly RpcService[];
  /** Has a subscription's test delivery count as answered with 2xx. */
  verify(subscriptionId: string): void;
  /** What was asked for the company, newest last. */
  readonly asked: readonly { readonly method: string; readonly companyId: string | undefined }[];
}

/** Makes a job-state that knows these logins by their email addresses. */
export function createFakeJobState(logins: Readonly<Record<string, Login>>): FakeJobState {
  const asked: { method: string; companyId: string | undefined }[] = [];
  const verified = new Set<string>();
  const companies = new Map<string, { subscriptions: Subscription[]; deliveries: Delivery[] }>();

  function ask(method: string, companyId: string | undefined) {
    invariant(companyId !== undefined, 'the console names the company');
    asked.push({ method, companyId });
    const company = companies.get(companyId) ?? { subscriptions: [], deliveries: [] };
    companies.set(companyId, company);
    return company;
  }

  function subscriptionOf(
    method: string,
    request: Pick<GetSubscriptionRequest, 'companyId' | 'subscriptionId'>,
  ) {
    const company = ask(method, request.companyId);
    const found = company.subscriptions.find(({ id }) => id === request.subscriptionId);
    if (found === undefined) throw notFound('webhook subscription');
    return { company, subscription: found };
  }

  const now = timestampFromDate(new Date('2026-08-26T14:03:00Z'));

  const access = rpcService(AccessService, {
    getLogin: ({ email = '' }) => {
      const login = logins[email.toLowerCase()];
      return login === undefined ? {} : { login };
    },
    authenticateKey: () => {
      throw new ServiceError('internal', 'the console never asks for API keys');
    },
    revokeKey: () => {
      throw new ServiceError('internal', 'the console never revokes API keys');
    },
  });

  const subscriptions = rpcService(SubscriptionService, {
    createSubscription: (request) => {
      const company = ask('createSubscription', request.companyId);
      const subscription = {
        id: newId('whk'),
        url: request.url ?? '',
        description: request.description ?? '',
        events: request.events,
        schemaVersion: request.schemaVersion ?? 1,
        state: SubscriptionState.PAUSED,
        health: SubscriptionHealth.HEALTHY,
        secretVersion: 1,
        verified: false,
        createdAt: now,
        updatedAt: now,
      };
      company.subscriptions.push(subscription);
      return { subscription, secret: 'whsec_c2VjcmV0IG9mIHRoZSBzdWJzY3JpcHRpb24=' };
    },
    listSubscriptions: (request) => ({
      subscriptions: ask('listSubscriptions', request.companyId).subscriptions,
    }),
    getSubscription: (request) => ({
      subscription: subscriptionOf('getSubscription', request).subscription,
    }),
    sendTestDelivery: (request) => {
      const { company, subscription } = subscriptionOf('sendTestDelivery', request);
      const delivery = {
        id: newId('dlv'),
        subscriptionId: subscription.id,
        eventId: newId('evt'),
        event: 'install.test',
        state: DeliveryState.PENDING,
        attempts: 0,
        nextAttemptAt: now,
        createdAt: now,
        resourceType: 'webhook_subscription',
        resourceId: subscription.id,
      };
      company.deliveries.unshift(delivery);
      return { delivery };
    },
    activateSubscription: (request) => {
      const { subscription } = subscriptionOf('activateSubscription', request);
      if (!verified.has(subscription.id)) {
        throw new ServiceError('test_delivery_required', 'send a test delivery first');
      }
      subscription.state = SubscriptionState.ACTIVE;
      subscription.verified = true;
      return { subscription };
    },
    listDeliveries: (request) => {
      const { company } = subscriptionOf('listDeliveries', request);
      const { beforeDeliveryId, state, limit = 50 } = request;
      const matching = company.deliveries
        .filter(({ subscriptionId }) => subscriptionId === request.subscriptionId)
        .filter(({ id }) => beforeDeliveryId === undefined || id < beforeDeliveryId)
        .filter((delivery) => state === undefined || delivery.state === state);
      return { deliveries: matching.slice(0, limit), hasMore: matching.length > limit };
    },
    getDelivery: (request) => {
      const company = ask('getDelivery', request.companyId);
      const delivery = company.deliveries.find(({ id }) => id === request.deliveryId);
      if (delivery === undefined) throw notFound('webhook delivery');
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
          },
        ],
        body: new TextEncoder().encode('{"event":"install.test"}'),
      };
    },
  });

  return {
    services: [access, subscriptions],
    verify: (subscriptionId) => verified.add(subscriptionId),
    asked,
  };
}
