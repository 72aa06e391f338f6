import type { ServiceImpl } from '@connectrpc/connect';
import { CompanyClass } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import type { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import type { CompanyClassName } from '@partner/proto-contracts/public-api/webhook-events';
import { ServiceError } from '@partner/runtime/service-error';
import { type Database, queryWithin } from '../database/database.js';
import { required } from '../rpc/required.js';
import { activateSubscription } from './activate-subscription.js';
import { createSubscription, type CreateSubscriptionDeps } from './create-subscription.js';
import { attemptMessage, deliveryMessage, deliveryStateName } from './delivery-message.js';
import { getDelivery } from './get-delivery.js';
import { getSubscription, type SubscriptionOfCompany } from './get-subscription.js';
import { listDeliveries } from './list-deliveries.js';
import { listSubscriptions } from './list-subscriptions.js';
import { sendTestDelivery } from './send-test-delivery.js';
import { subscriptionMessage } from './subscription-message.js';

const DELIVERY_PAGE_SIZE = { default: 50, max: 100 } as const;

/** What the management of subscriptions works with. */
export interface SubscriptionServiceDeps extends CreateSubscriptionDeps {
  readonly database: Pick<Database, 'query' | 'transaction'>;
}

/** Serves the RPCs with which a company's owner manages webhook subscriptions and looks at their deliveries. */
export function createSubscriptionService(
  deps: SubscriptionServiceDeps,
): ServiceImpl<typeof SubscriptionService> {
  return {
    async createSubscription(request, context) {
      const toCreate = {
        companyId: required(request.companyId, 'company_id'),
        companyClass: companyClassName(required(request.companyClass, 'company_class')),
        url: required(request.url, 'url'),
        events: request.events,
        description: request.description,
        schemaVersion: request.schemaVersion,
      };
      const { subscription, secret } = await createSubscription(deps, toCreate, context);
      return { subscription: subscriptionMessage(subscription), secret };
    },

    async listSubscriptions(request, context) {
      const database = queryWithin(deps.database, context.timeoutMs());
      const rows = await listSubscriptions(database, required(request.companyId, 'company_id'));
      return { subscriptions: rows.map(subscriptionMessage) };
    },

    async getSubscription(request, context) {
      const database = queryWithin(deps.database, context.timeoutMs());
      return {
        subscription: subscriptionMessage(await getSubscription(database, subscriptionOf(request))),
      };
    },

    async sendTestDelivery(request, context) {
      const limits = { timeoutMs: context.timeoutMs() };
      return { delivery: deliveryMessage(await sendTestDelivery(deps, subscriptionOf(request), limits)) };
    },

    async activateSubscription(request, context) {
      const limits = { timeoutMs: context.timeoutMs() };
      const active = await activateSubscription(deps, subscriptionOf(request), limits);
      return { subscription: subscriptionMessage(active) };
    },

    async listDeliveries(request, context) {
      const database = queryWithin(deps.database, context.timeoutMs());
      const { limit = DELIVERY_PAGE_SIZE.default, state } = request;
      if (limit < 1 || limit > DELIVERY_PAGE_SIZE.max) {
        throw new ServiceError('invalid_argument', `limit must be from 1 to ${DELIVERY_PAGE_SIZE.max}`);
      }
      const { deliveries, hasMore } = await listDeliveries(database, {
        ...subscriptionOf(request),
        beforeDeliveryId: request.beforeDeliveryId,
        limit,
        state: state === undefined ? undefined : required(deliveryStateName(state), 'known state'),
      });
      return { deliveries: deliveries.map(deliveryMessage), hasMore };
    },

    async getDelivery(request, context) {
      const database = queryWithin(deps.database, context.timeoutMs());
      const { delivery, attempts, body } = await getDelivery(database, {
        companyId: required(request.companyId, 'company_id'),
        deliveryId: required(request.deliveryId, 'delivery_id'),
      });
      return { delivery: deliveryMessage(delivery), attempts: attempts.map(attemptMessage), body };
    },
  };
}

function subscriptionOf(request: {
  readonly companyId?: string | undefined;
  readonly subscriptionId?: string | undefined;
}): SubscriptionOfCompany {
  return {
    companyId: required(request.companyId, 'company_id'),
    subscriptionId: required(request.subscriptionId, 'subscription_id'),
  };
}

function companyClassName(companyClass: CompanyClass): CompanyClassName {
  switch (companyClass) {
    case CompanyClass.SALES:
      return 'SALES';
    case CompanyClass.INSTALLER:
      return 'INSTALLER';
    case CompanyClass.ACCOUNTING:
      return 'ACCOUNTING';
    case CompanyClass.UNSPECIFIED:
    default:
      throw new ServiceError('invalid_argument', 'company_class is not known');
  }
}
