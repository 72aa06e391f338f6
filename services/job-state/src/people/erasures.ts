import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type { Erasure } from '@partner/proto-contracts/resources/person/person';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { isId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { notFound } from '@partner/kernel/process/service-error';
import { invalidArgument } from '@partner/kernel/process/validation';
import type { Actor } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import type { Database, Queryable, TransactionLimits } from '../database/database.js';
import type { PersonRecords } from '@partner/proto-contracts/internal/operators/people';
import { companiesOf } from './person-rows.js';

interface ErasureRow extends Omit<Erasure, 'requestedAt' | 'finishedAt'> {
  readonly requestedAt: Date;
  readonly finishedAt: Date | null;
}

/** Erasures, newest first; with an id only that one. */
export async function listErasures(
  database: Queryable,
  { erasureId, limit }: { readonly erasureId?: string | undefined; readonly limit: number },
): Promise<readonly Erasure[]> {
  const rows = await database.query<ErasureRow>(
    `select id, subject ->> 'companyId' as "companyId", coalesce(subject -> 'leads', '[]') as "leadIds",
       coalesce(subject -> 'projects', '[]') as "projectIds", coalesce(subject -> 'jobs', '[]') as "jobIds",
       operator, requested_at as "requestedAt", finished_at as "finishedAt", erased_rows as "erasedRows"
     from erasures where $1::text is null or id = $1 order by id desc limit $2`,
    [erasureId ?? null, limit],
  );
  return rows.map((row) => ({
    ...row,
    requestedAt: formatDateTime(row.requestedAt),
    finishedAt: row.finishedAt === null ? null : formatDateTime(row.finishedAt),
  }));
}

/**
 * Begins an erasure, which `startErasures` continues. A repeat with the same id changes nothing.
 *
 * Fails with `not_found` if a record does not exist. Atomic: the erasure, and an entry in the audit trail of each company that has
 * or had the records. Lock: none.
 */
export async function beginErasure(
  deps: {
    readonly database: Pick<Database, 'transaction'>;
    readonly logger: Pick<Logger, 'info'>;
    readonly clock: () => Date;
  },
  request: {
    readonly erasureId: string;
    readonly records: PersonRecords;
    readonly operator: string;
    readonly actor: Actor;
  },
  limits: TransactionLimits = {},
): Promise<Erasure> {
  const { erasureId, records, operator, actor } = request;
  const { leads, projects, jobs } = records;
  if ([...leads, ...projects, ...jobs].length === 0) {
    throw invalidArgument([{ path: 'records', message: 'must have a lead, a project or a job' }]);
  }
  const erasure = await deps.database.transaction(async (tx) => {
    const [known] = await tx.query<{ count: number }>(
      `select (select count(*) from leads where id = any($1::text[]))
         + (select count(*) from projects where id = any($2::text[]))
         + (select count(*) from jobs where id = any($3::text[]))::integer as count`,
      [leads, projects, jobs],
    );
    if (Number(known?.count) !== new Set([...leads, ...projects, ...jobs]).size) throw notFound('record');
    const begun = await insertErasure(tx, { erasureId, subject: records, operator, now: deps.clock() });
    if (begun.isNew) {
      for (const companyId of await companiesOf(tx, records)) {
        await recordAudit(tx, {
          companyId,
          actor,
          action: 'person.erased',
          subject: { type: 'company', id: companyId },
          details: { erasureId, ...(await recordsOf(tx, companyId, records)) },
        });
      }
    }
    return begun.erasure;
  }, limits);
  // After a restore from a backup, the log is the only record of it.
  deps.logger.info({ erasureId, leadIds: leads, projectIds: projects, jobIds: jobs }, 'person.erasure_begun');
  return erasure;
}

/** Inserts an erasure unless there is one with its id. Fails with `invalid_argument` for an id of another form. */
export async function insertErasure(
  tx: Queryable,
  made: {
    readonly erasureId: string;
    readonly subject: PersonRecords | { readonly companyId: string };
    readonly operator: string;
    readonly now: Date;
  },
): Promise<{ readonly isNew: boolean; readonly erasure: Erasure }> {
  const { erasureId, subject, operator, now } = made;
  if (!isId('ers', erasureId)) {
    throw invalidArgument([{ path: 'erasureId', message: 'must be an id such as ers_01j…' }]);
  }
  const inserted = await tx.query(
    `insert into erasures (id, subject, operator, requested_at) values ($1, $2, $3, $4)
     on conflict (id) do nothing returning id`,
    [erasureId, JSON.stringify(subject), operator, now],
  );
  const [erasure] = await listErasures(tx, { erasureId, limit: 1 });
  invariant(erasure, 'an inserted row is there');
  return { isNew: inserted.length > 0, erasure };
}

/** The records that a company has or had: an installer knows jobs alone. */
async function recordsOf(tx: Queryable, companyId: string, { leads, projects, jobs }: PersonRecords) {
  const [own] = await tx.query<{ leadIds: string[]; projectIds: string[]; jobIds: string[] }>(
    `select array(select id from leads where company_id = $1 and id = any($2::text[])) as "leadIds",
       array(select id from projects where company_id = $1 and id = any($3::text[])) as "projectIds",
       array(
         select id from jobs where id = any($4::text[]) and ($1 in (selling_company_id, installer_company_id)
           or platform_state -> 'assignments' @> jsonb_build_array(jsonb_build_object('companyId', $1::text)))
       ) as "jobIds"`,
    [companyId, leads, projects, jobs],
  );
  return { ...own };
}
