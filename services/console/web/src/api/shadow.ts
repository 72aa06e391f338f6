import {
  type shadowIn,
  webhookShadow,
  webhookShadowState,
} from '@partner/proto-contracts/resources/shadow/shadow';
import type { z } from 'zod';
import type { RequestBody } from './request-body.js';
import { useAction } from './use-action.js';
import { useApiQuery } from './use-api-query.js';
import { webhookPath } from './webhooks.js';

/** A URL that deliveries of a subscription are mirrored to. */
export type Shadow = z.output<typeof webhookShadow>;

const shadowPath = (webhookId: string) => `${webhookPath(webhookId)}/shadow`;

/** The last shadow of a subscription, with its comparison. */
export function useShadow(webhookId: string) {
  const path = shadowPath(webhookId);
  return useApiQuery({ key: ['shadow', webhookId], schema: webhookShadowState, path, webhookId });
}

/** Tests a URL, and then mirrors deliveries to it. */
export function useStartShadow(webhookId: string) {
  return useAction({
    act: (api, body: RequestBody<typeof shadowIn>) =>
      api.read(webhookShadow, { method: 'POST', path: shadowPath(webhookId), body }),
  });
}

/** Stops mirroring. */
export function useStopShadow(webhookId: string) {
  return useAction({
    act: (api) => api.read(webhookShadow, { method: 'POST', path: `${shadowPath(webhookId)}/stop` }),
    done: 'Mirroring stopped',
  });
}
