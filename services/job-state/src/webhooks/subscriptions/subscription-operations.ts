import {
  configureWebhookOperation,
  listWholeWebhooksOperation,
} from '@partner/proto-contracts/internal/operators/webhooks';
import { readWebhookKeysOperation } from '@partner/proto-contracts/internal/webhooks/read-webhook-keys';
import { testWebhookOperation } from '@partner/proto-contracts/resources/delivery/operations';
import {
  activateWebhookOperation,
  activateWebhookSecretOperation,
  createWebhookOperation,
  deleteWebhookOperation,
  getWebhookOperation,
  listWebhooksOperation,
  pauseWebhookOperation,
  rotateWebhookSecretOperation,
  updateWebhookOperation,
} from '@partner/proto-contracts/resources/subscription/operations';
import type {
  SecretRotated,
  SubscriptionActivated,
  SubscriptionCreated,
  SubscriptionList,
} from '@partner/proto-contracts/resources/subscription/subscription';
import { checkUrlOperation } from '@partner/proto-contracts/resources/url-check/operations';
import { shortUrl } from '@partner/proto-contracts/values/short-url';
import {
  type Implementation,
  implement,
  implementInternal,
  type OperationRequest,
} from '@partner/kernel/amqp/implement';
import { callingActor } from '../../audit/actor.js';
import { type Database, queryWithin } from '../../database/database.js';
import { pathId } from '../../rpc/path-id.js';
import { shownDelivery } from '../deliveries/delivery-resource.js';
import { refusalOfUrl, shareEndpoints } from './check-endpoint.js';
import { configuredCompany, configureWebhook } from './configure-webhook.js';
import { createSubscription, type CreateSubscriptionDeps } from './create-subscription.js';
import { getSubscription, listSubscriptions, type OwnersSubscription } from './get-subscription.js';
import { proposalOperations } from './proposal-operations.js';
import { withConditions } from './read-conditions.js';
import { activateSecret, rotateSecret, type SecretDeps } from './rotate-secret.js';
import { sendTestDelivery } from './send-test-delivery.js';
import { publicKeys } from '../deliveries/signing-keys.js';
import { shownSubscription, type SubscriptionRow } from './subscription-resource.js';
import { activateSubscription, deleteSubscription, pauseSubscription } from './subscription-state.js';
import { updateSubscription } from './update-subscription.js';

export interface SubscriptionDeps extends CreateSubscriptionDeps, SecretDeps {
  readonly database: Pick<Database, 'query' | 'transaction'>;
}

type Request = Pick<
  OperationRequest<unknown, unknown, 'id'>,
  'companyId' | 'params' | 'caller' | 'timeoutMs'
>;

/**
 * The operations with which owners and operators manage webhooks.
 *
 * Every write takes one slot of its company and ends by its caller's deadline.
 */
export function subscriptionOperations(deps: SubscriptionDeps): readonly Implementation[] {
  const endpointsOf = shareEndpoints(deps.endpoints);
  const depsOf = (companyId: string) => ({ ...deps, endpoints: endpointsOf(companyId) });
  return [
    implement(createWebhookOperation, async (request) => {
      const { companyId, companyClass, body, timeoutMs } = request;
      const toCreate = { ...body, companyId, companyClass, actor: callingActor(request.caller), timeoutMs };
      const { subscription, secret } = await createSubscription(depsOf(companyId), toCreate);
      const created = { subscription: shownSubscription(subscription), secret };
      return { json: JSON.stringify(created satisfies SubscriptionCreated) };
    }),

    implement(listWebhooksOperation, async ({ companyId, timeoutMs }) => {
      const database = queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() });
      const rows = await listSubscriptions(database, companyId);
      const list = { subscriptions: (await withConditions(database, companyId, rows)).map(shortened) };
      return { json: JSON.stringify(list satisfies SubscriptionList) };
    }),

    implement(getWebhookOperation, async (request) => {
      const { caller, companyId, timeoutMs } = request;
      const database = queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() });
      const row = await getSubscription(database, named(request));
      const [found = shownSubscription(row)] = await withConditions(database, companyId, [row]);
      const isReader = caller.kind === 'key' || (caller.kind === 'owner' && caller.role !== 'owner');
      return { json: JSON.stringify(isReader ? shortened(found) : found) };
    }),

    implement(updateWebhookOperation, async (request) => {
      const { companyId, companyClass, body } = request;
      const toUpdate = { ...named(request), companyClass, change: body };
      return rendered(await updateSubscription(depsOf(companyId), toUpdate));
    }),

    implement(deleteWebhookOperation, async (request) => {
      await deleteSubscription(deps, named(request));
      return { json: '' };
    }),

    implement(testWebhookOperation, async (request) => {
      const test = { ...named(request), ...request.body };
      const delivery = await sendTestDelivery(depsOf(request.companyId), test);
      return { json: JSON.stringify(shownDelivery(delivery)) };
    }),

    implement(activateWebhookOperation, async (request) => {
      const toActivate = { ...named(request), backfill: request.body?.backfill ?? false };
      const { subscription, backfillId } = await activateSubscription(deps, toActivate);
      const activated = { ...shownSubscription(subscription), backfillId: backfillId ?? null };
      return { json: JSON.stringify(activated satisfies SubscriptionActivated) };
    }),

    implement(pauseWebhookOperation, async (request) =>
      rendered(await pauseSubscription(deps, named(request))),
    ),

    implement(rotateWebhookSecretOperation, async (request) => {
      const { subscription, secret } = await rotateSecret(deps, named(request));
      const pendingSecretVersion = subscription.pendingSecretVersion ?? subscription.secretVersion;
      const rotated = { subscription: shownSubscription(subscription), pendingSecretVersion, secret };
      return { json: JSON.stringify(rotated satisfies SecretRotated) };
    }),

    implement(activateWebhookSecretOperation, async (request) => {
      const { pendingSecretVersion } = request.body;
      const toActivate = { ...named(request), pendingSecretVersion };
      return rendered(await activateSecret(deps, toActivate));
    }),

    implement(checkUrlOperation, async (request) => {
      const reason = await refusalOfUrl(endpointsOf(request.companyId), request.body.url, request);
      return { json: JSON.stringify(reason === undefined ? { ok: true } : { ok: false, reason }) };
    }),

    implementInternal(readWebhookKeysOperation, async ({ subscriptionId }) => ({
      keys: publicKeys(deps.signingKeys, pathId('whk', subscriptionId, 'webhook subscription')),
    })),

    implementInternal(listWholeWebhooksOperation, async (_input, context) => {
      const { companyId, timeoutMs } = configuredCompany(context);
      const database = queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() });
      return { subscriptions: (await listSubscriptions(database, companyId)).map(shownSubscription) };
    }),

    implementInternal(configureWebhookOperation, (step, context) => {
      const company = configuredCompany(context);
      return configureWebhook(depsOf(company.companyId), company, step);
    }),

    ...proposalOperations(deps, endpointsOf),
  ];
}

function named({ companyId, params, caller, timeoutMs }: Request): OwnersSubscription {
  const subscriptionId = pathId('whk', params.id, 'webhook subscription');
  return { companyId, subscriptionId, actor: callingActor(caller), timeoutMs };
}

/** The rest of a URL can be a secret. */
function shortened<Shown extends { readonly url: string }>(shown: Shown): Shown {
  return { ...shown, url: shortUrl(shown.url) };
}

function rendered(row: SubscriptionRow) {
  return { json: JSON.stringify(shownSubscription(row)) };
}
