import {
  bulkReplay,
  type bulkReplayIn,
  bulkReplayPage,
  bulkReplayPreview,
} from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import {
  delivery,
  deliveryPage,
  deliveryWithAttempts,
} from '@partner/proto-contracts/resources/delivery/delivery';
import type { z } from 'zod';
import type { RequestBody } from './request-body.js';
import { useAction } from './use-action.js';
import { useApiQuery } from './use-api-query.js';
import { useCursorList } from './use-cursor-list.js';
import { webhookPath } from './webhooks.js';

/** A delivery: one event for one subscription. */
export type Delivery = z.output<typeof delivery>;

/** State of a delivery. */
export type DeliveryState = Delivery['state'];

/** One attempt of a delivery. */
export type Attempt = z.output<typeof deliveryWithAttempts>['attempts'][number];

/** A delivery in a list, with its last attempt. */
export type ListedDelivery = z.output<typeof deliveryPage>['deliveries'][number];

const deliveryPath = (id: string) => `/deliveries/${encodeURIComponent(id)}`;
const replayPath = (id: string) => `/replays/${encodeURIComponent(id)}`;

/** Path of the deliveries to one webhook, or to all of the company. */
export function deliveriesPath(webhookId: string | undefined): string {
  return webhookId === undefined ? '/deliveries' : `${webhookPath(webhookId)}/deliveries`;
}

/** The newest deliveries to a webhook. */
export function useRecentDeliveries(webhookId: string) {
  return useApiQuery({
    key: ['recent-deliveries', webhookId],
    schema: deliveryPage,
    path: deliveriesPath(webhookId),
    query: { limit: RECENT },
    webhookId,
  });
}

const RECENT = 10;

/** Loads one delivery with its attempts and its body; nothing without an id. */
export function useDelivery(id: string | undefined) {
  return useApiQuery({
    key: ['delivery', id],
    schema: deliveryWithAttempts,
    path: deliveryPath(id ?? ''),
    enabled: id !== undefined,
  });
}

/** Replays a delivery; the response is the new delivery. */
export function useReplayDelivery(onDone?: (replayed: Delivery) => void) {
  return useAction({
    act: (api, id: string) => api.read(delivery, { method: 'POST', path: `${deliveryPath(id)}/replay` }),
    done: 'Replay queued',
    ...(onDone === undefined ? {} : { onDone }),
  });
}

/** Makes the next scheduled attempt of a delivery now. */
export function useRetryDelivery() {
  return useAction({
    act: (api, id: string) => api.read(delivery, { method: 'POST', path: `${deliveryPath(id)}/retry` }),
    done: 'Retry queued',
  });
}

/** Selection of a bulk replay. */
export type BulkReplayRequest = Omit<RequestBody<typeof bulkReplayIn>, 'preview'>;

/** Previews a bulk replay. */
export function usePreviewReplay(webhookId: string) {
  return useAction({
    act: (api, body: BulkReplayRequest) =>
      api.read(bulkReplayPreview, {
        method: 'POST',
        path: `${webhookPath(webhookId)}/replay`,
        body: { ...body, preview: true },
      }),
  });
}

/** Starts a bulk replay. */
export function useStartReplay(webhookId: string) {
  return useAction({
    act: (api, body: BulkReplayRequest) =>
      api.read(bulkReplay, { method: 'POST', path: `${webhookPath(webhookId)}/replay`, body }),
    done: ({ states }) =>
      states?.length === 1 && states[0] === 'retry_scheduled' ? 'Retries started' : 'Bulk replay started',
  });
}

/** The bulk replays and back-fills of a subscription, newest first. */
export function useReplays(webhookId: string) {
  const list = useCursorList({
    key: ['replays', webhookId],
    schema: bulkReplayPage,
    path: `${webhookPath(webhookId)}/replays`,
    query: { limit: 20 },
    webhookId,
  });
  return { ...list, replays: list.pages?.flatMap((page) => page.replays) };
}

/** Stops a bulk replay. */
export function useCancelReplay() {
  return useAction({
    act: (api, id: string) => api.read(bulkReplay, { method: 'DELETE', path: replayPath(id) }),
    done: 'Bulk replay stopped',
  });
}
