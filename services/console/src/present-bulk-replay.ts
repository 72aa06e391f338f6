import {
  type BulkReplay,
  BulkReplayKind,
  BulkReplayState,
  type PreviewBulkReplayResponse,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import {
  type bulkReplay,
  type bulkReplayPreview,
  REPLAYED_STATES,
} from '@partner/proto-contracts/public-api/bulk-replay';
import type { z } from 'zod';
import { deliveryStateOf } from './present-delivery.js';
import { presentInstant, presentOptionalInstant } from './present-instant.js';
import { requiredField } from './required-field.js';

type BulkReplayView = z.input<typeof bulkReplay>;

const KINDS: Readonly<Record<BulkReplayKind, BulkReplayView['kind'] | undefined>> = {
  [BulkReplayKind.UNSPECIFIED]: undefined,
  [BulkReplayKind.REPLAY]: 'replay',
  [BulkReplayKind.BACKFILL]: 'backfill',
};

const STATES: Readonly<Record<BulkReplayState, BulkReplayView['state'] | undefined>> = {
  [BulkReplayState.UNSPECIFIED]: undefined,
  [BulkReplayState.RUNNING]: 'running',
  [BulkReplayState.DONE]: 'done',
  [BulkReplayState.CANCELLED]: 'cancelled',
};

/** A bulk replay or back-fill as its owner sees it. Throws when job-state left out what it always gives. */
export function presentBulkReplay(message: BulkReplay | undefined): BulkReplayView {
  const given = requiredField(message, 'a bulk replay');
  const selection = requiredField(given.selection, 'replay.selection');
  const kind = requiredField(KINDS[given.kind ?? BulkReplayKind.UNSPECIFIED], 'a known replay.kind');
  const states = REPLAYED_STATES.filter((name) => selection.states.includes(deliveryStateOf(name)));
  return {
    id: requiredField(given.id, 'replay.id'),
    subscriptionId: requiredField(given.subscriptionId, 'replay.subscription_id'),
    kind,
    states: kind === 'replay' ? states : null,
    event: selection.event ?? null,
    from: presentInstant(selection.from, 'replay.selection.from'),
    to: presentInstant(selection.to, 'replay.selection.to'),
    perMinute: requiredField(given.perMinute, 'replay.per_minute'),
    state: requiredField(STATES[given.state ?? BulkReplayState.UNSPECIFIED], 'a known replay.state'),
    total: requiredField(given.total, 'replay.total'),
    atLeast: given.atLeast ?? false,
    queued: requiredField(given.queued, 'replay.queued'),
    createdAt: presentInstant(given.createdAt, 'replay.created_at'),
    finishedAt: presentOptionalInstant(given.finishedAt),
  };
}

/** What a bulk replay would repeat, and how long it would take at a rate. */
export function presentBulkReplayPreview(
  message: PreviewBulkReplayResponse,
  perMinute: number,
): z.input<typeof bulkReplayPreview> {
  const deliveries = requiredField(message.deliveries, 'preview.deliveries');
  return {
    deliveries,
    atLeast: message.atLeast ?? false,
    oldest: presentOptionalInstant(message.oldest),
    newest: presentOptionalInstant(message.newest),
    resourceCount: requiredField(message.resourceCount, 'preview.resource_count'),
    resources: message.resources.map((resource) => ({
      type: requiredField(resource.resourceType, 'preview.resources.resource_type'),
      id: requiredField(resource.resourceId, 'preview.resources.resource_id'),
      deliveries: requiredField(resource.deliveries, 'preview.resources.deliveries'),
    })),
    estimatedMinutes: Math.ceil(deliveries / perMinute),
  };
}
