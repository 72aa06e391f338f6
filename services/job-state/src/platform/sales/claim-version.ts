import type { PreparedStatement } from '../../database/connection-pool.js';
import type { Queryable } from '../../database/database.js';

/** One version of a sales record that the platform reports. */
export interface SalesRecord {
  readonly id: string;
  /** The resource type in its events. */
  readonly kind: 'project' | 'quote' | 'deposit' | 'invoice' | 'rebate' | 'journal_entry';
  readonly companyId: string;
  /** Null: no project. */
  readonly projectId: string | null;
  readonly version: number;
  readonly state: string;
}

/** `first`: the version is new. `contradicts`: the record belongs to another company or project. */
export type VersionClaim = 'first' | 'repeated' | 'contradicts';

const CLAIM_VERSION: PreparedStatement = {
  name: 'claim-sales-version',
  text: `insert into sales_records as known (id, kind, company_id, project_id, version, emitted_versions, state)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (id) do update set
       version = greatest(known.version, excluded.version),
       emitted_versions = known.emitted_versions + excluded.emitted_versions,
       state = case when excluded.version > known.version then excluded.state else known.state end
     where known.company_id = excluded.company_id and known.project_id is not distinct from excluded.project_id
       and not known.emitted_versions @> excluded.emitted_versions
     returning id`,
};

/**
 * Claims a version, so that it is announced once in any order of arrival.
 *
 * The stored record has the state of its newest version. Locks the record.
 */
export async function claimVersion(tx: Queryable, record: SalesRecord): Promise<VersionClaim> {
  const { id, kind, companyId, projectId, version, state } = record;
  const claimed = await tx.query(CLAIM_VERSION, [
    id,
    kind,
    companyId,
    projectId,
    version,
    versionRange(version),
    state,
  ]);
  if (claimed.length > 0) return 'first';
  const same = await tx.query(
    'select from sales_records where id = $1 and company_id = $2 and project_id is not distinct from $3',
    [id, companyId, projectId],
  );
  return same.length > 0 ? 'repeated' : 'contradicts';
}

/** A version as a multirange of Postgres. */
export function versionRange(version: number): string {
  return `{[${version},${version}]}`;
}
