import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import { CompanyClassSchema } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import type { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { companyClass } from '@partner/proto-contracts/values/company-class';
import { enumName } from '@partner/proto-contracts/values/enum-names';
import type {
  SecretRotated,
  SubscriptionActivated,
  SubscriptionCreated,
  SubscriptionList,
} from '@partner/proto-contracts/resources/subscription/subscription';
import { actorOf } from '../../audit/actor.js';
import { type Database, queryWithin } from '../../database/database.js';
import { shownDelivery } from '../deliveries/delivery-resource.js';
import { callerLimits } from '../../rpc/caller-limits.js';
import { required } from '../../rpc/required.js';
import { activateSecret, type ActivateSecretDeps } from './activate-secret.js';
import { activateSubscription } from './activate-subscription.js';
import { shareEndpoints } from './check-endpoint.js';
import { refusalOfUrl } from './check-url.js';
import { createSubscription, type CreateSubscriptionDeps } from './create-subscription.js';
import { deleteSubscription } from './delete-subscription.js';
import { getSubscription, ownersSubscription, subscriptionOf } from './get-subscription.js';
import { listSubscriptions } from './list-subscriptions.js';
import { pauseSubscription } from './pause-subscription.js';
import { rotateSecret } from './rotate-secret.js';
import { sendTestDelivery } from './send-test-delivery.js';
import { shownSubscription, type SubscriptionRow } from './subscription-resource.js';
import { updateSubscription } from './update-subscription.js';

/** Dependencies of the subscription service. */
export interface SubscriptionServiceDeps extends CreateSubscriptionDeps, ActivateSecretDeps {
  readonly database: Pick<Database, 'query' | 'transaction'>;
}

/**
 * Serves the RPCs with which a company's owner manages webhook subscriptions.
 *
 * Every write takes one slot of its company and ends by its caller's deadline.
 */
export function createSubscriptionService(
  deps: SubscriptionServiceDeps,
): ServiceImpl<typeof SubscriptionService> {
  const endpointsOf = shareEndpoints(deps.endpoints);
  const depsOf = (companyId: string) => ({ ...deps, endpoints: endpointsOf(companyId) });
  return {
    async createSubscription(request, context) {
      const toCreate = {
        companyId: required(request.companyId, 'company_id'),
        membershipId: request.actingMembershipId,
        actor: actorOf(request),
        companyClass: required(
          enumName(CompanyClassSchema, companyClass.options, request.companyClass),
          'known company_class',
        ),
        url: required(request.url, 'url'),
        events: request.events,
        description: request.description,
        schemaVersion: request.schemaVersion,
        uniqueDescription: request.uniqueDescription,
        dropsSecret: request.dropsSecret,
      };
      const { subscription, secret } = await createSubscription(
        depsOf(toCreate.companyId),
        toCreate,
        context,
      );
      const shown = { subscription: shownSubscription(subscription), secret };
      return {
        resourceJson: JSON.stringify(shown satisfies SubscriptionCreated),
        subscriptionId: subscription.id,
      };
    },

    async listSubscriptions(request, context) {
      const database = queryWithin(deps.database, callerLimits(request, context));
      const rows = await listSubscriptions(database, required(request.companyId, 'company_id'));
      const list = { subscriptions: rows.map(shownSubscription) };
      return { resourceJson: JSON.stringify(list satisfies SubscriptionList) };
    },

    async getSubscription(request, context) {
      const database = queryWithin(deps.database, callerLimits(request, context));
      return rendered(await getSubscription(database, subscriptionOf(request)));
    },

    async updateSubscription(request, context) {
      const toUpdate = {
        ...ownersSubscription(request),
        companyClass: required(
          enumName(CompanyClassSchema, companyClass.options, request.companyClass),
          'known company_class',
        ),
        url: request.url,
        events: request.events?.patterns,
        description: request.description,
        schemaVersion: request.schemaVersion,
        headers: request.headers?.changes.map(({ name = '', value = null }) => ({ name, value })),
        deliveriesPerSecond: request.rate === undefined ? undefined : (request.rate.perSecond ?? null),
        expectedUpdatedAt: request.expectedUpdatedAt && timestampDate(request.expectedUpdatedAt),
      };
      return rendered(await updateSubscription(depsOf(toUpdate.companyId), toUpdate, context));
    },

    async deleteSubscription(request, context) {
      const toDelete = {
        ...ownersSubscription(request),
        expectedUpdatedAt: request.expectedUpdatedAt && timestampDate(request.expectedUpdatedAt),
      };
      await deleteSubscription(deps, toDelete, callerLimits(toDelete, context));
      return {};
    },

    async sendTestDelivery(request, context) {
      const test = {
        ...ownersSubscription(request),
        secretVersion: request.secretVersion,
        event: request.event,
        wrongSignature: request.wrongSignature ?? false,
        url: request.url,
        headers: request.headers?.changes.map(({ name, value }) => ({ name, value })),
      };
      const delivery = await sendTestDelivery(depsOf(test.companyId), test, context);
      return { resourceJson: JSON.stringify(shownDelivery(delivery)) };
    },

    async activateSubscription(request, context) {
      const toActivate = { ...ownersSubscription(request), backfill: request.backfill ?? false };
      const { subscription, backfillId } = await activateSubscription(
        deps,
        toActivate,
        callerLimits(toActivate, context),
      );
      const shown = { ...shownSubscription(subscription), backfillId: backfillId ?? null };
      return { resourceJson: JSON.stringify(shown satisfies SubscriptionActivated) };
    },

    async pauseSubscription(request, context) {
      const toPause = ownersSubscription(request);
      const paused = await pauseSubscription(deps, toPause, callerLimits(toPause, context));
      return rendered(paused);
    },

    async rotateSecret(request, context) {
      const toRotate = ownersSubscription(request);
      const { subscription, secret } = await rotateSecret(deps, toRotate, callerLimits(toRotate, context));
      const pendingSecretVersion = subscription.pendingSecretVersion ?? subscription.secretVersion;
      const shown = { subscription: shownSubscription(subscription), pendingSecretVersion, secret };
      return { resourceJson: JSON.stringify(shown satisfies SecretRotated) };
    },

    async activateSecret(request, context) {
      const toActivate = {
        ...ownersSubscription(request),
        pendingSecretVersion: required(request.pendingSecretVersion, 'pending_secret_version'),
      };
      const changed = await activateSecret(deps, toActivate, callerLimits(toActivate, context));
      return rendered(changed);
    },

    async checkUrl(request, context) {
      required(request.companyId, 'company_id');
      const endpoints = endpointsOf(required(request.companyId, 'company_id'));
      const refusal = await refusalOfUrl(endpoints, required(request.url, 'url'), context);
      return refusal === undefined ? { allowed: true } : { allowed: false, refusal };
    },
  };
}

function rendered(row: SubscriptionRow) {
  return { resourceJson: JSON.stringify(shownSubscription(row)) };
}
