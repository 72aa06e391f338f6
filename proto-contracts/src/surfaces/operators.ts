import type { AnyOperation } from '../api/operation.js';
import {
  previewInboundEventReplayOperation,
  replayInboundEventsOperation,
} from '../resources/event-replay/operations.js';

/** The public operations that operators call for a company. */
export const OPERATOR_OPERATIONS: readonly AnyOperation[] = [
  previewInboundEventReplayOperation,
  replayInboundEventsOperation,
];
