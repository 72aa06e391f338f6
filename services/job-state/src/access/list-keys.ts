import type { Queryable } from '../database/database.js';
import { KEY_COLUMNS, type KeyRow } from './key-resource.js';

/** A page of a company's keys. */
export interface KeyQuery {
  readonly companyId: string;
  /** Only keys older than this one; absent: from the newest. */
  readonly beforeKeyId: string | undefined;
  /** At least 1. */
  readonly limit: number;
}

/** Lists a company's keys by id, newest first, including those no longer in force. */
export async function listKeys(
  database: Queryable,
  { companyId, beforeKeyId, limit }: KeyQuery,
): Promise<{ readonly keys: readonly KeyRow[]; readonly nextBeforeId: string | undefined }> {
  const rows = await database.query<KeyRow>(
    `select ${KEY_COLUMNS} from api_keys k
     where k.company_id = $1 and ($2::text is null or k.id < $2)
     order by k.id desc
     limit $3`,
    [companyId, beforeKeyId ?? null, limit + 1],
  );
  const keys = rows.slice(0, limit);
  return { keys, nextBeforeId: rows.length > limit ? keys.at(-1)?.id : undefined };
}
