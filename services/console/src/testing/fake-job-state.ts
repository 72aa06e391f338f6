import {
  type GetSubscriptionRequest,
  SubscriptionService,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import {
  type Delivery,
  PENDING_DELIVERY_EXAMPLE,
} from '@partner/proto-contracts/resources/delivery/delivery';
import {
  type Subscription,
  SUBSCRIPTION_EXAMPLE,
} from '@partner/proto-contracts/resources/subscription/subscription';
import { type RpcService, rpcService } from '@partner/kernel/amqp/rpc-service';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { notFound, ServiceError } from '@partner/kernel/process/service-error';
import { resourceResponse } from './resource-response.js';

interface Asked {
  readonly method: string;
  readonly companyId: string | undefined;
  /** The acting membership, if the request names one. */
  readonly actingMembershipId?: string;
}

/** What of job-state is not an operation yet: in-memory subscriptions and deliveries of several companies, isolated from each other. */
export interface FakeJobState {
  readonly services: readonly RpcService[];
  /** Marks a subscription's test delivery as accepted with 2xx. */
  verify(subscriptionId: string): void;
  /** The recorded calls, newest last. */
  readonly asked: readonly Asked[];
}

/** Creates a job-state without subscriptions. */
export function createFakeJobState(): FakeJobState {
  const asked: Asked[] = [];
  const verified = new Set<string>();
  const companies = new Map<string, { subscriptions: Subscription[] }>();

  function ask(method: string, companyId: string | undefined, actingMembershipId?: string) {
    invariant(companyId !== undefined, 'the console names the company');
    asked.push({ method, companyId, ...(actingMembershipId !== undefined && { actingMembershipId }) });
    const company = companies.get(companyId) ?? { subscriptions: [] };
    companies.set(companyId, company);
    return company;
  }

  function subscriptionOf(
    method: string,
    request: Pick<GetSubscriptionRequest, 'companyId' | 'subscriptionId'> & {
      readonly actingMembershipId?: string | undefined;
    },
  ) {
    const company = ask(method, request.companyId, request.actingMembershipId);
    const found = company.subscriptions.find(({ id }) => id === request.subscriptionId);
    if (found === undefined) throw notFound('webhook subscription');
    return { company, subscription: found };
  }

  const at = new Date('2026-08-26T14:03:00Z');

  const subscriptions = rpcService(SubscriptionService, {
    createSubscription: (request) => {
      const company = ask('createSubscription', request.companyId, request.actingMembershipId);
      const subscription: Subscription = {
        ...SUBSCRIPTION_EXAMPLE,
        id: newId('whk'),
        url: request.url ?? '',
        description: request.description ?? '',
        events: request.events,
        schemaVersion: request.schemaVersion ?? 1,
        state: 'paused',
        verified: false,
        headerNames: [],
        deliveriesPerSecond: null,
        createdAt: formatDateTime(at),
        updatedAt: formatDateTime(at),
      };
      company.subscriptions.push(subscription);
      const secret = 'whsec_c2VjcmV0IG9mIHRoZSBzdWJzY3JpcHRpb24=';
      return { ...resourceResponse({ subscription, secret }), subscriptionId: subscription.id };
    },
    listSubscriptions: (request) => {
      const { subscriptions: all } = ask('listSubscriptions', request.companyId);
      return resourceResponse({ subscriptions: all });
    },
    getSubscription: (request) => resourceResponse(subscriptionOf('getSubscription', request).subscription),
    updateSubscription: (request) => {
      const { subscription } = subscriptionOf('updateSubscription', request);
      const { url, events, description, schemaVersion, headers, rate } = request;
      Object.assign(subscription, {
        ...(url !== undefined && { url, state: 'paused', verified: false }),
        ...(events !== undefined && { events: events.patterns }),
        ...(description !== undefined && { description }),
        ...(schemaVersion !== undefined && { schemaVersion }),
        ...(headers !== undefined && { headerNames: headers.changes.map(({ name }) => name) }),
        ...(rate !== undefined && { deliveriesPerSecond: rate.perSecond ?? null }),
      });
      return resourceResponse(subscription);
    },
    deleteSubscription: (request) => {
      const { company, subscription } = subscriptionOf('deleteSubscription', request);
      company.subscriptions = company.subscriptions.filter((each) => each !== subscription);
      return {};
    },
    pauseSubscription: (request) => {
      const { subscription } = subscriptionOf('pauseSubscription', request);
      subscription.state = 'paused';
      return resourceResponse(subscription);
    },
    rotateSecret: (request) => {
      const { subscription } = subscriptionOf('rotateSecret', request);
      const pendingSecretVersion = (subscription.pendingSecretVersion ?? subscription.secretVersion) + 1;
      subscription.pendingSecretVersion = pendingSecretVersion;
      const secret = 'whsec_YW5vdGhlciBzZWNyZXQgb2YgdGhlIHNhbWU=';
      return resourceResponse({ subscription, pendingSecretVersion, secret });
    },
    activateSecret: (request) => {
      const { subscription } = subscriptionOf('activateSecret', request);
      const { pendingSecretVersion } = request;
      if (pendingSecretVersion === undefined || pendingSecretVersion !== subscription.pendingSecretVersion) {
        throw new ServiceError('secret_version_mismatch', 'pendingSecretVersion: none is pending');
      }
      subscription.secretVersion = pendingSecretVersion;
      subscription.pendingSecretVersion = null;
      return resourceResponse(subscription);
    },
    checkUrl: ({ companyId, url = '' }) => {
      ask('checkUrl', companyId);
      return url.startsWith('https://')
        ? { allowed: true }
        : { allowed: false, refusal: 'must use port 443' };
    },
    sendTestDelivery: (request) => {
      const { subscription } = subscriptionOf('sendTestDelivery', request);
      const { secretVersion } = request;
      const { secretVersion: current, pendingSecretVersion: pending } = subscription;
      if (secretVersion !== undefined && secretVersion !== current && secretVersion !== pending) {
        throw new ServiceError('secret_version_mismatch', 'secretVersion: none has it');
      }
      const delivery: Delivery = {
        ...PENDING_DELIVERY_EXAMPLE,
        id: newId('dlv'),
        subscriptionId: subscription.id,
        eventId: newId('evt'),
        event: request.event ?? 'install.test',
        nextAttemptAt: formatDateTime(at),
        createdAt: formatDateTime(at),
        resource: { type: 'webhook_subscription', id: subscription.id },
        isTest: true,
        replayOf: null,
        wrongSignature: request.wrongSignature ?? false,
        testUrl: request.url ?? null,
      };
      return resourceResponse(delivery);
    },
    activateSubscription: (request) => {
      const { subscription } = subscriptionOf('activateSubscription', request);
      if (!verified.has(subscription.id)) {
        throw new ServiceError('test_delivery_required', 'send a test delivery first');
      }
      subscription.state = 'active';
      subscription.verified = true;
      return resourceResponse({
        ...subscription,
        backfillId: request.backfill === true ? newId('rpl') : null,
      });
    },
  });

  return {
    services: [subscriptions],
    verify: (subscriptionId) => verified.add(subscriptionId),
    asked,
  };
}
