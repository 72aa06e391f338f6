import { invariant } from '@partner/kernel/process/invariant';
import type { PreparedStatement } from '../../database/connection-pool.js';
import type { Queryable } from '../../database/database.js';

/** One version of a sales record that the platform reports. */
export interface SalesRecord {
  readonly id: string;
  /** The resource type in its events. */
  readonly kind: 'project' | 'quote' | 'deposit' | 'invoice' | 'rebate' | 'journal_entry';
  /** Null: that of the project. */
  readonly companyId: string | null;
  /** Null: no project. */
  readonly projectId: string | null;
  readonly version: number;
  readonly state: string;
}

/** `first`: the version is new. `contradicts`: the record belongs to another company or project. */
export interface VersionClaim {
  readonly claim: 'first' | 'repeated' | 'contradicts';
  /** The company of the record. Null: the project is missing, so nothing is claimed. */
  readonly companyId: string | null;
  /** The lead of the project. Null: it has none, or `companyId` was given. */
  readonly leadId: string | null;
}

// A repeated version writes nothing. The caller holds the lock of the record's messages, so the snapshot shows the record.
const CLAIM_VERSIONS: PreparedStatement = {
  name: 'claim-sales-versions',
  shared: 'together',
  text: `with item as materialized (
       select item.id, kind, coalesce(item.company_id, project.company_id) as company_id, project.lead_id, project_id, version,
         emitted_versions::int8multirange as emitted_versions, state, call
       from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::integer[], $6::text[], $7::text[]) with ordinality
         as item (id, kind, company_id, project_id, version, emitted_versions, state, call)
       left join projects project on project.id = item.project_id and item.company_id is null
     ), claimed as (
       insert into sales_records as known (id, kind, company_id, project_id, version, emitted_versions, state)
       select id, kind, company_id, project_id, version, emitted_versions, state from item
       where company_id is not null order by id
       on conflict (id) do update set
         version = greatest(known.version, excluded.version),
         emitted_versions = known.emitted_versions + excluded.emitted_versions,
         state = case when excluded.version > known.version then excluded.state else known.state end
       where known.company_id = excluded.company_id and known.project_id is not distinct from excluded.project_id
         and not known.emitted_versions @> excluded.emitted_versions
       returning id
     )
     select item.call, item.company_id as "companyId", item.lead_id as "leadId", case
       when claimed.id is not null then 'first'
       when known.company_id = item.company_id and known.project_id is not distinct from item.project_id then 'repeated'
       else 'contradicts' end as claim
     from item left join claimed on claimed.id = item.id left join sales_records known on known.id = item.id`,
};

/**
 * Claims a version, so that it is announced once in any order of arrival.
 *
 * The stored record has the state of its newest version. The caller holds the lock of the messages about the record. Locks the
 * record.
 */
export async function claimVersion(tx: Queryable, record: SalesRecord): Promise<VersionClaim> {
  const { id, kind, companyId, projectId, version, state } = record;
  const [claimed] = await tx.query<VersionClaim>(CLAIM_VERSIONS, [
    id,
    kind,
    companyId,
    projectId,
    version,
    versionRange(version),
    state,
  ]);
  invariant(claimed, 'a claim has a result');
  return claimed;
}

/** A version as a multirange of Postgres. */
export function versionRange(version: number): string {
  return `{[${version},${version}]}`;
}
