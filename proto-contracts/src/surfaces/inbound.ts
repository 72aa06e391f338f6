import type { AnyOperation } from '../api/operation.js';
import { authenticateKeyOperation } from '../internal/access/authenticate-key.js';
import { bookAppointmentOperation } from '../resources/appointment/operations.js';
import * as contractorJob from '../resources/contractor-job/operations.js';
import { listInboundEventsOperation } from '../resources/event-feed/operations.js';
import * as eventReplay from '../resources/event-replay/operations.js';
import { createLeadOperation } from '../resources/lead/operations.js';
import { getInboundManifestOperation } from '../resources/manifest/operations.js';

export const INBOUND_OPERATIONS: readonly AnyOperation[] = [
  createLeadOperation,
  bookAppointmentOperation,
  contractorJob.listContractorJobsOperation,
  contractorJob.appendJobNoteOperation,
  listInboundEventsOperation,
  eventReplay.replayInboundEventsOperation,
  eventReplay.previewInboundEventReplayOperation,
  eventReplay.getInboundEventReplayOperation,
  eventReplay.cancelInboundEventReplayOperation,
  getInboundManifestOperation,
];

/** The calls of the surface that are not public. */
export const INBOUND_CALLS = [authenticateKeyOperation] as const;
