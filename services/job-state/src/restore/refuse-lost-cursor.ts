import { ServiceError } from '@partner/kernel/process/service-error';
import type { Queryable } from '../database/database.js';

/**
 * Refuses a reader with a position from data that a restore has lost, and records the highest one of its company (decisions RESTORE-2 and
 * RESTORE-4). `remedy` says how to go on. A repeat writes nothing.
 */
export async function refuseLostCursor(
  database: Queryable,
  heads: 'feed_heads' | 'event_heads',
  { companyId, sequence }: { readonly companyId: string; readonly sequence: string },
  remedy: string,
): Promise<never> {
  await database.query(
    `update ${heads} set refused_cursor = $2 where company_id = $1 and (refused_cursor is null or refused_cursor < $2)`,
    [companyId, sequence],
  );
  const message = `is from data that was lost when the service was restored from a backup; ${remedy}`;
  throw new ServiceError('cursor_invalid', `cursor: ${message}`, { details: [{ path: 'cursor', message }] });
}
