import { counted } from '@partner/proto-contracts/api/counted';
import {
  eraseCompanyOperation,
  erasePersonOperation,
  listErasuresOperation,
  type CustomerRecords,
  readCompanyDataOperation,
  readPersonDataOperation,
} from '@partner/proto-contracts/internal/operators/customers';
import type { Erasure } from '@partner/proto-contracts/resources/customer/customer';
import { formatDateTime, formatOptionalDateTime } from '@partner/proto-contracts/values/date-time';
import { type CallContext, type Implementation, implementInternal } from '@partner/kernel/amqp/implement';
import { isId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { notFound } from '@partner/kernel/process/service-error';
import { invalidArgument } from '@partner/kernel/process/validation';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { callingActor, callingOperator } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import { type Database, type Queryable, queryWithin, type Transaction } from '../database/database.js';
import { linkedNow } from '../journal/accounting-links.js';
import { endAccess } from './end-access.js';
import { findCustomers, readCursor } from './find-customers.js';
import { companiesOf, readExportedPage, rowPosition, type Subject } from './stored-rows.js';

interface Deps {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly logger: Pick<Logger, 'info'>;
  readonly clock: () => Date;
}

export function personalDataOperations(deps: Deps): readonly Implementation[] {
  const within = ({ timeoutMs }: CallContext) => queryWithin(deps.database, { timeoutMs: timeoutMs() });
  return [
    findCustomers(deps),
    implementInternal(readPersonDataOperation, ({ records, cursor }, context) =>
      readExportedPage(within(context), records, positionOf(cursor)),
    ),
    implementInternal(readCompanyDataOperation, async ({ companyId, cursor }, context) => {
      const database = within(context);
      const obstacles = cursor === undefined && (await readErasureObstacles(database, companyId));
      const page = await readExportedPage(database, { companyId }, positionOf(cursor));
      return { ...page, ...(obstacles !== false && { obstacles: [...obstacles] }) };
    }),
    eraseCustomer(deps),
    eraseCompany(deps),
    implementInternal(listErasuresOperation, async ({ erasureId, limit = 50 }, context) => ({
      erasures: [...(await listErasures(within(context), erasureId, limit))],
    })),
  ];
}

function positionOf(cursor: string | undefined) {
  return cursor === undefined ? { table: 0 } : readCursor(rowPosition, cursor);
}

interface ErasureRow extends Omit<Erasure, 'requestedAt' | 'finishedAt'> {
  readonly requestedAt: Date;
  readonly finishedAt: Date | null;
}

/** Erasures, newest first; with an id only that one. */
async function listErasures(
  database: Queryable,
  erasureId: string | undefined,
  limit: number,
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
    finishedAt: formatOptionalDateTime(row.finishedAt),
  }));
}

/**
 * Begins the erasure of a customer, which `startErasures` continues. A repeat with the same id changes nothing.
 *
 * Fails with `not_found` if a record does not exist. Atomic: the erasure, and an entry in the audit trail of each company that has
 * or had the records. Lock: none.
 */
const eraseCustomer = (deps: Deps) =>
  implementInternal(erasePersonOperation, async ({ erasureId, records }, context) => {
    const { leads, projects, jobs } = records;
    const ids = [...leads, ...projects, ...jobs];
    if (ids.length === 0) {
      throw invalidArgument([{ path: 'records', message: 'must have a lead, a project or a job' }]);
    }
    const erasure = await deps.database.transaction(
      async (tx) => {
        const [known] = await tx.query<{ count: number }>(
          `select (select count(*) from leads where id = any($1::text[]))
             + (select count(*) from projects where id = any($2::text[]))
             + (select count(*) from jobs where id = any($3::text[]))::integer as count`,
          [leads, projects, jobs],
        );
        if (Number(known?.count) !== new Set(ids).size) throw notFound('record');
        const begun = await insertErasure(tx, erasureId, records, { context, now: deps.clock() });
        if (begun.isNew) {
          for (const companyId of await companiesOf(tx, records)) {
            await recordAudit(tx, {
              companyId,
              actor: callingActor(context.caller),
              action: 'person.erased',
              subject: { type: 'company', id: companyId },
              details: { erasureId, ...(await recordsOf(tx, companyId, records)) },
            });
          }
        }
        return begun.erasure;
      },
      { timeoutMs: context.timeoutMs() },
    );
    // After a restore from a backup, the log is the only record of it.
    deps.logger.info(
      { erasureId, leadIds: leads, projectIds: projects, jobIds: jobs },
      'person.erasure_begun',
    );
    return erasure;
  });

/**
 * Ends all access of a company and begins the erasure of its data, which `startErasures` continues. A repeat with the same id
 * changes nothing.
 *
 * Fails with `not_found`, and with `invalid_argument` while the company has open jobs or receives the journal of another one.
 * Atomic: the end of its access, the erasure and an entry in the audit trail. Locks: the company, then those of {@link endAccess}.
 */
const eraseCompany = (deps: Deps) =>
  implementInternal(eraseCompanyOperation, async ({ erasureId, companyId }, context) => {
    const now = deps.clock();
    const erasure = await deps.database.transaction(
      async (tx) => {
        const known = await tx.query('select from companies where id = $1 for no key update', [companyId]);
        if (known.length === 0) throw notFound('company');
        const [obstacle] = await readErasureObstacles(tx, companyId);
        if (obstacle !== undefined) throw invalidArgument([{ path: 'companyId', message: obstacle }]);
        const begun = await insertErasure(tx, erasureId, { companyId }, { context, now });
        if (begun.isNew) {
          // The first step waits for transactions that are open now.
          await tx.query('update erasures set erased_in = pg_current_xact_id() where id = $1', [erasureId]);
          await endAccess(tx, companyId, now);
          await recordAudit(tx, {
            companyId,
            actor: callingActor(context.caller),
            action: 'company.erased',
            subject: { type: 'company', id: companyId },
            details: { erasureId },
          });
        }
        return begun.erasure;
      },
      { timeoutMs: context.timeoutMs() },
    );
    // After a restore from a backup, the log is the only record of it.
    deps.logger.info({ erasureId, companyId }, 'company.erasure_begun');
    return erasure;
  });

/** Returns why a company cannot be erased now, and what to do about it; empty if it can. */
async function readErasureObstacles(database: Queryable, companyId: string): Promise<readonly string[]> {
  const [open] = await database.query<{ jobs: number; links: readonly string[] }>(
    `select (
       select count(*)::integer from jobs
       where $1 in (selling_company_id, installer_company_id) and installer_company_id is not null
         and status not in ('COMPLETE', 'CANCELLED')
     ) as jobs,
     array(select c.id from companies c where $1 = any(${linkedNow('c.id')}) order by c.id) as links`,
    [companyId],
  );
  const { jobs = 0, links = [] } = open ?? {};
  return [
    ...(jobs > 0
      ? [
          `has ${counted(jobs, 'open job')}; have the platform complete, cancel or unassign ${jobs === 1 ? 'it' : 'them'} first`,
        ]
      : []),
    ...(links.length > 0 ? [`receives the journal of ${links.join()}; change their links first`] : []),
  ];
}

/** Inserts an erasure unless there is one with its id. Fails with `invalid_argument` for an id of another form. */
async function insertErasure(
  tx: Transaction,
  erasureId: string,
  subject: Subject,
  { context, now }: { readonly context: CallContext; readonly now: Date },
): Promise<{ readonly isNew: boolean; readonly erasure: Erasure }> {
  if (!isId('ers', erasureId)) {
    throw invalidArgument([{ path: 'erasureId', message: 'must be an id such as ers_01j…' }]);
  }
  const inserted = await tx.query(
    `insert into erasures (id, subject, operator, requested_at) values ($1, $2, $3, $4)
     on conflict (id) do nothing returning id`,
    [erasureId, JSON.stringify(subject), callingOperator(context.caller), now],
  );
  const [erasure] = await listErasures(tx, erasureId, 1);
  invariant(erasure, 'an inserted row is there');
  return { isNew: inserted.length > 0, erasure };
}

/** The records that a company has or had: an installer knows jobs alone. */
async function recordsOf(tx: Queryable, companyId: string, { leads, projects, jobs }: CustomerRecords) {
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
