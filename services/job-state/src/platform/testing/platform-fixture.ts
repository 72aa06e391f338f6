import { beforeAll } from '@jest/globals';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { Registry } from 'prom-client';
import { insertCompany, TEST_NOW } from '../../testing/test-jobs.js';
import { createPlatformMessageHandler } from '../handle-platform-message.js';
import { database } from '../../testing/file-database.js';

export { database };

export let handle: ReturnType<typeof createPlatformMessageHandler>;
/** A sales company. */
export let seller: string;

/** Dependencies of a write at `TEST_NOW`. */
export const writing = () => ({ database, clock: () => TEST_NOW, logger: silentLogger });

beforeAll(async () => {
  handle = createPlatformMessageHandler({ ...writing(), metrics: new Registry() });
  seller = await insertCompany(database, 'SALES');
});

export const DONE = { kind: 'done' };

/** The id of what a stored message waits for; null once it is settled. */
export async function waitsFor(messageId: string): Promise<unknown> {
  const [row] = await database.query<{ prerequisite_id: string | null }>(
    'select prerequisite_id from inbox where message_id = $1',
    [messageId],
  );
  return row?.prerequisite_id;
}
