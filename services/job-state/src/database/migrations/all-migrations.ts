import type { Knex } from 'knex';
import * as initialSchema from './0001-initial-schema.js';
import * as overdueDeliveries from './0002-overdue-deliveries.js';
import * as journalBackfills from './0003-journal-backfills.js';
import * as people from './0004-people.js';
import * as eventNumbers from './0005-event-numbers.js';
import * as webhookSettings from './0006-webhook-settings.js';
import * as deliveries from './0007-deliveries.js';
import * as feedsAndReplays from './0008-feeds-and-replays.js';
import * as indexesOfReferences from './0009-indexes-of-references.js';

/** One step of the schema. Expand and contract: the previous version of the service runs during the migration. */
export interface Migration {
  readonly name: string;
  readonly up: (knex: Knex) => Promise<void>;
}

/** Every migration in order. A released name never changes. Those of one release are few, each with its own locks. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0001-initial-schema', ...initialSchema },
  { name: '0002-overdue-deliveries', ...overdueDeliveries },
  { name: '0003-journal-backfills', ...journalBackfills },
  { name: '0004-people', ...people },
  { name: '0005-event-numbers', ...eventNumbers },
  { name: '0006-webhook-settings', ...webhookSettings },
  { name: '0007-deliveries', ...deliveries },
  { name: '0008-feeds-and-replays', ...feedsAndReplays },
  { name: '0009-indexes-of-references', ...indexesOfReferences },
];
