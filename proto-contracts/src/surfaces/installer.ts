import type { AnyOperation } from '../api/operation.js';
import { authenticateKeyOperation } from '../internal/access/authenticate-key.js';
import { listInstallerEventsOperation } from '../resources/event-feed/operations.js';
import * as eventReplay from '../resources/event-replay/operations.js';
import { listJobFeedOperation } from '../resources/feed-entry/operations.js';
import * as job from '../resources/job/operations.js';
import { listTechniciansOperation } from '../resources/technician/operations.js';
import { getInstallerManifestOperation } from '../resources/manifest/operations.js';

export const INSTALLER_OPERATIONS: readonly AnyOperation[] = [
  listJobFeedOperation,
  job.getJobOperation,
  job.recordStatusEventOperation,
  job.setScheduleOperation,
  listTechniciansOperation,
  job.replaceAssignmentsOperation,
  listInstallerEventsOperation,
  eventReplay.replayInstallerEventsOperation,
  eventReplay.previewInstallerEventReplayOperation,
  eventReplay.getInstallerEventReplayOperation,
  eventReplay.cancelInstallerEventReplayOperation,
  getInstallerManifestOperation,
];

/** The calls of the surface that are not public. */
export const INSTALLER_CALLS = [authenticateKeyOperation] as const;
