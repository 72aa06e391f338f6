import { defineOperation } from '../../api/operation.js';
import { versioned } from '../../values/api-version.js';
import { bulkReplay } from '../bulk-replay/bulk-replay.js';
import {
  EVENT_REPLAY_EXAMPLE,
  EVENT_REPLAY_PREVIEW_EXAMPLE,
  EVENT_REPLAY_REQUESTS,
  eventReplayIn,
  eventReplayPreview,
  eventReplays,
} from './event-replay.js';

const replaying = {
  method: 'post',
  scope: 'events:replay',
  idempotencyKey: 'required',
  body: eventReplayIn,
  summary: 'Replay events',
  description: `
Sends events of your company to its webhooks again, at a rate: those that your server lost, or has never received. Select them by
\`sequence\`, by time or by \`id\`. They can be events without any delivery so far, for example of a pause.

- **Which** events a webhook receives is its own choice: a replay leaves out those that it does not subscribe to. It also leaves out
  events with an unfinished delivery to the webhook, and those recorded after the request.
- **Where to:** one webhook, or every active one that receives at least one of the events. While a webhook is paused, its replay waits.
- **How often:** each event is queued once. It has the same \`id\` and body as ever, and a new series of attempts.
- **Then** read a replay's progress by its \`id\`. A webhook has at most one such replay at a time.

The owners of your company see the replay, and the key that has started it, in the console.`,
  bodyExamples: EVENT_REPLAY_REQUESTS,
  errors: [
    'not_found',
    'event_expired',
    'replay_in_progress',
    'idempotency_mismatch',
    'idempotency_in_progress',
  ],
} as const;

const previewing = {
  method: 'post',
  repeatable: true,
  scope: 'events:replay',
  body: eventReplayIn,
  summary: 'Preview a replay of events',
  description: `
Counts the events that a replay with the same body would send to each webhook. Nothing is sent, and \`perMinute\` makes no
difference.`,
  bodyExamples: EVENT_REPLAY_REQUESTS,
  errors: ['not_found', 'event_expired'],
} as const;

const started = {
  description: 'The replays. The events are queued from then on.',
  schema: eventReplays,
  example: { replays: [{ ...EVENT_REPLAY_EXAMPLE, state: 'running', queued: 0, finishedAt: null }] },
};

const preview = {
  description: 'The preview.',
  schema: eventReplayPreview,
  example: EVENT_REPLAY_PREVIEW_EXAMPLE,
};

const read = { description: 'The replay.', schema: bulkReplay, example: EVENT_REPLAY_EXAMPLE };

const versionedRead = versioned(read, 'VersionedEventReplay', 'A replay of events with its progress.');

const cancelled = { state: 'cancelled', queued: 4 } as const;

const params = {
  id: {
    description: 'The `id` of a replay of events of your company. Any other is 404.',
    example: EVENT_REPLAY_EXAMPLE.id,
  },
};

const reading = {
  method: 'get',
  scope: 'events:replay',
  params,
  summary: 'Read a replay of events',
  description: 'Reads one replay of events with its progress.',
  errors: ['not_found'],
} as const;

const cancelling = {
  method: 'delete',
  repeatable: true,
  scope: 'events:replay',
  params,
  summary: 'Cancel a replay of events',
  description: `
Stops a replay of events. Deliveries that it has queued continue. A finished one stays unchanged, so a repeat is harmless.`,
  errors: ['not_found'],
} as const;

export const replayInstallerEventsOperation = defineOperation({
  ...replaying,
  id: 'replayInstallerEvents',
  path: '/partner/v1/events/replay',
  responses: { 202: versioned(started, 'VersionedEventReplays') },
});

export const replayInboundEventsOperation = defineOperation({
  ...replaying,
  id: 'replayInboundEvents',
  path: '/inbound/events/replay',
  responses: { 202: started },
});

export const previewInstallerEventReplayOperation = defineOperation({
  ...previewing,
  id: 'previewInstallerEventReplay',
  path: '/partner/v1/events/replay/preview',
  responses: { 200: versioned(preview, 'VersionedEventReplayPreview') },
});

export const previewInboundEventReplayOperation = defineOperation({
  ...previewing,
  id: 'previewInboundEventReplay',
  path: '/inbound/events/replay/preview',
  responses: { 200: preview },
});

export const getInstallerEventReplayOperation = defineOperation({
  ...reading,
  id: 'getInstallerEventReplay',
  path: '/partner/v1/events/replays/:id',
  responses: { 200: versionedRead },
});

export const getInboundEventReplayOperation = defineOperation({
  ...reading,
  id: 'getInboundEventReplay',
  path: '/inbound/events/replays/:id',
  responses: { 200: read },
});

export const cancelInstallerEventReplayOperation = defineOperation({
  ...cancelling,
  id: 'cancelInstallerEventReplay',
  path: '/partner/v1/events/replays/:id',
  responses: { 200: { ...versionedRead, example: { ...versionedRead.example, ...cancelled } } },
});

export const cancelInboundEventReplayOperation = defineOperation({
  ...cancelling,
  id: 'cancelInboundEventReplay',
  path: '/inbound/events/replays/:id',
  responses: { 200: { ...read, example: { ...read.example, ...cancelled } } },
});
