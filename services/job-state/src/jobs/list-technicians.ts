import type { Queryable } from '../database/database.js';

/** One person who can be assigned to jobs while active. */
export interface TechnicianRecord {
  readonly membershipId: string;
  readonly displayName: string;
  readonly active: boolean;
}

const TECHNICIANS_AT_MOST = 2_000;

/**
 * Reads a company's technicians (spec: Installer v1, technicians): the active ones first, then by name in any case, then by
 * id. The first 2,000.
 */
export async function listTechnicians(
  database: Queryable,
  companyId: string,
): Promise<readonly TechnicianRecord[]> {
  return database.query<TechnicianRecord>(
    `select id as "membershipId", display_name as "displayName", active from memberships
     where company_id = $1 and role = 'TECHNICIAN'
     order by active desc, lower(display_name), id limit $2`,
    [companyId, TECHNICIANS_AT_MOST],
  );
}
