import type { ServiceImpl } from '@connectrpc/connect';
import type { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import type { WebhookShadowState } from '@partner/proto-contracts/resources/shadow/shadow';
import { queryWithin } from '../../database/database.js';
import { callerLimits } from '../../rpc/caller-limits.js';
import { required } from '../../rpc/required.js';
import { shareEndpoints } from '../subscriptions/check-endpoint.js';
import { ownersSubscription, subscriptionOf } from '../subscriptions/get-subscription.js';
import { getShadow } from './get-shadow.js';
import { type ShadowRow, shownShadow } from './shadow-resource.js';
import { startShadow, type StartShadowDeps } from './start-shadow.js';
import { stopShadow } from './stop-shadow.js';

/** Serves the RPCs of the subscription service with which a company's owner tries another URL. */
export function createShadowRpcs(
  deps: StartShadowDeps,
): Pick<ServiceImpl<typeof SubscriptionService>, 'startShadow' | 'getShadow' | 'stopShadow'> {
  const endpointsOf = shareEndpoints(deps.endpoints);
  return {
    async startShadow(request, context) {
      const { percent, hours } = request;
      const toStart = {
        ...ownersSubscription(request),
        url: required(request.url, 'url'),
        percent,
        hours,
        headers: request.headers?.changes.map(({ name = '', value = '' }) => ({ name, value })),
      };
      return renderedShadow(
        await startShadow({ ...deps, endpoints: endpointsOf(toStart.companyId) }, toStart, context),
      );
    },

    async getShadow(request, context) {
      const database = queryWithin(deps.database, callerLimits(request, context));
      const shadow = await getShadow(database, subscriptionOf(request));
      const shown = { shadow: shadow === undefined ? null : shownShadow(shadow) };
      return { resourceJson: JSON.stringify(shown satisfies WebhookShadowState) };
    },

    async stopShadow(request, context) {
      const toStop = ownersSubscription(request);
      return renderedShadow(await stopShadow(deps, toStop, callerLimits(toStop, context)));
    },
  };
}

function renderedShadow(row: ShadowRow) {
  return { resourceJson: JSON.stringify(shownShadow(row)) };
}
