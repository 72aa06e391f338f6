import type { Knex } from 'knex';
import * as initialSchema from './0001-initial-schema.js';
import * as overdueDeliveries from './0002-overdue-deliveries.js';
import * as journalBackfills from './0003-journal-backfills.js';
import * as wronglySignedTests from './0004-wrongly-signed-tests.js';
import * as consolePeople from './0005-console-people.js';
import * as notifications from './0006-notifications.js';
import * as secondFactors from './0007-second-factors.js';
import * as eventSequences from './0008-event-sequences.js';
import * as webhookSettings from './0009-webhook-settings.js';
import * as customHeadersAndRates from './0010-custom-headers-and-rates.js';
import * as providerLinks from './0011-provider-links.js';
import * as eventReplays from './0012-event-replays.js';
import * as deliveryNumbers from './0013-delivery-numbers.js';
import * as restores from './0014-restores.js';
import * as sessionVersions from './0015-session-versions.js';
import * as erasures from './0016-erasures.js';
import * as webhookShadows from './0017-webhook-shadows.js';
import * as refusedCursors from './0018-refused-cursors.js';
import * as companyMoves from './0019-company-moves.js';
import * as indexesOfReferences from './0020-indexes-of-references.js';
import * as shadowHeaders from './0021-shadow-headers.js';
import * as knownSecrets from './0022-known-secrets.js';
import * as securityNotices from './0023-security-notices.js';
import * as unassignedJobs from './0024-unassigned-jobs.js';
import * as testsOfAnotherUrl from './0025-tests-of-another-url.js';

/** One step of the schema. Expand and contract: the previous version of the service runs during the migration. */
export interface Migration {
  readonly name: string;
  readonly up: (knex: Knex) => Promise<void>;
  readonly down: (knex: Knex) => Promise<void>;
}

/**
 * Every migration in order. A released name never changes.
 *
 * To drop with the first migration after release 0.2.0, since a replica that may run beside this version still reads it:
 *
 * - `company_moves`: each replica reads it once a second, and most statements do. No code of this version does.
 */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0001-initial-schema', ...initialSchema },
  { name: '0002-overdue-deliveries', ...overdueDeliveries },
  { name: '0003-journal-backfills', ...journalBackfills },
  { name: '0004-wrongly-signed-tests', ...wronglySignedTests },
  { name: '0005-console-people', ...consolePeople },
  { name: '0006-notifications', ...notifications },
  { name: '0007-second-factors', ...secondFactors },
  { name: '0008-event-sequences', ...eventSequences },
  { name: '0009-webhook-settings', ...webhookSettings },
  { name: '0010-custom-headers-and-rates', ...customHeadersAndRates },
  { name: '0011-provider-links', ...providerLinks },
  { name: '0012-event-replays', ...eventReplays },
  { name: '0013-delivery-numbers', ...deliveryNumbers },
  { name: '0014-restores', ...restores },
  { name: '0015-session-versions', ...sessionVersions },
  { name: '0016-erasures', ...erasures },
  { name: '0017-webhook-shadows', ...webhookShadows },
  { name: '0018-refused-cursors', ...refusedCursors },
  { name: '0019-company-moves', ...companyMoves },
  { name: '0020-indexes-of-references', ...indexesOfReferences },
  { name: '0021-shadow-headers', ...shadowHeaders },
  { name: '0022-known-secrets', ...knownSecrets },
  { name: '0023-security-notices', ...securityNotices },
  { name: '0024-unassigned-jobs', ...unassignedJobs },
  { name: '0025-tests-of-another-url', ...testsOfAnotherUrl },
];
