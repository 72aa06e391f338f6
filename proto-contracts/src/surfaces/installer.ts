import type { AnyOperation } from '../api/operation.js';
import { authenticateKeyOperation } from '../internal/access/authenticate-key.js';
import { listInstallerEventsOperation } from '../resources/event-feed/operations.js';
import {
  cancelInstallerEventReplayOperation,
  getInstallerEventReplayOperation,
  previewInstallerEventReplayOperation,
  replayInstallerEventsOperation,
} from '../resources/event-replay/operations.js';
import { listJobFeedOperation } from '../resources/feed-entry/operations.js';
import {
  getJobOperation,
  recordStatusEventOperation,
  replaceAssignmentsOperation,
  setScheduleOperation,
} from '../resources/job/operations.js';
import { listTechniciansOperation } from '../resources/technician/operations.js';
import { getInstallerManifestOperation } from '../resources/manifest/operations.js';

export const INSTALLER_OPERATIONS: readonly AnyOperation[] = [
  listJobFeedOperation,
  getJobOperation,
  recordStatusEventOperation,
  setScheduleOperation,
  listTechniciansOperation,
  replaceAssignmentsOperation,
  listInstallerEventsOperation,
  replayInstallerEventsOperation,
  previewInstallerEventReplayOperation,
  getInstallerEventReplayOperation,
  cancelInstallerEventReplayOperation,
  getInstallerManifestOperation,
];

/** The calls of the surface that are not public. */
export const INSTALLER_CALLS = [authenticateKeyOperation] as const;
