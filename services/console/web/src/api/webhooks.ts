import {
  secretRotated,
  subscription,
  subscriptionActivated,
  type subscriptionChange,
  subscriptionCreated,
  type subscriptionIn,
  subscriptionList,
} from '@partner/proto-contracts/resources/subscription/subscription';
import { urlCheck } from '@partner/proto-contracts/resources/url-check/url-check';
import type { z } from 'zod';
import type { RequestBody } from './request-body.js';
import { useAction } from './use-action.js';
import { useApiQuery } from './use-api-query.js';

/** A webhook subscription as its owner sees it. */
export type Webhook = z.output<typeof subscription>;

/** Path of a subscription. */
export const webhookPath = (id: string) => `/webhooks/${encodeURIComponent(id)}`;

/** All subscriptions of the company, oldest first. */
export function useWebhooks() {
  return useApiQuery({ key: ['webhooks'], schema: subscriptionList, path: '/webhooks' });
}

/** One subscription. */
export function useWebhook(id: string) {
  return useApiQuery({ key: ['webhook', id], schema: subscription, path: webhookPath(id), webhookId: id });
}

/** Creates a subscription; only this response contains its secret. */
export function useCreateWebhook() {
  return useAction({
    act: (api, body: RequestBody<typeof subscriptionIn>) =>
      api.read(subscriptionCreated, { method: 'POST', path: '/webhooks', body }),
  });
}

/** Changes a subscription. */
export function useUpdateWebhook(id: string) {
  return useAction({
    act: (api, body: RequestBody<typeof subscriptionChange>) =>
      api.read(subscription, { method: 'PATCH', path: webhookPath(id), body }),
    done: 'Changes saved',
  });
}

/** Deletes a subscription. */
export function useDeleteWebhook(id: string, onDone: () => void) {
  return useAction({
    act: (api) => api.send({ method: 'DELETE', path: webhookPath(id) }),
    done: 'Webhook deleted',
    onDone,
  });
}

/** Activates a subscription, with or without the events missed during the pause. */
export function useActivateWebhook(id: string) {
  return useAction({
    act: (api, body: { readonly backfill?: boolean }) =>
      api.read(subscriptionActivated, { method: 'POST', path: `${webhookPath(id)}/activate`, body }),
    done: 'Webhook activated',
  });
}

/** Pauses a subscription. */
export function usePauseWebhook(id: string) {
  return useAction({
    act: (api) => api.read(subscription, { method: 'POST', path: `${webhookPath(id)}/pause` }),
    done: 'Webhook paused',
  });
}

/** Creates a pending secret; only this response contains it. */
export function useRotateSecret(id: string) {
  return useAction({
    act: (api) => api.read(secretRotated, { method: 'POST', path: `${webhookPath(id)}/rotate-secret` }),
  });
}

/** Activates the pending secret: it signs deliveries from now on. */
export function useActivateSecret(id: string) {
  return useAction({
    act: (api, body: { readonly pendingSecretVersion: number }) =>
      api.read(subscription, { method: 'POST', path: `${webhookPath(id)}/activate-secret`, body }),
    done: 'New secret activated',
  });
}

/** Checks whether a subscription can have this URL, and if not, why. */
export function useCheckUrl() {
  return useAction({
    act: (api, body: { readonly url: string }) =>
      api.read(urlCheck, { method: 'POST', path: '/url-checks', body }),
  });
}
