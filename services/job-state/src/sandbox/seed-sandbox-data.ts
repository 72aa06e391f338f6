import { hash } from '@node-rs/argon2';
import { invariant } from '@partner/kernel/process/invariant';
import { PASSWORD_HASHING } from '@partner/kernel/security/password-hashing';
import type { Database, Transaction } from '../database/database.js';
import { normaliseAddress } from '../leads/address-key/normalise-address.js';
import { SANDBOX_START, type SandboxCompany, sandboxCompanies } from './sandbox-companies.js';
import { type SandboxJob, sandboxJobs } from './sandbox-jobs.js';
import { sandboxSales } from './sandbox-sales.js';
import { stableBytes } from './stable-id.js';

const SEED_LOCK = 4_207_313;

/** A sandbox company in the form that the local stack's tools read. */
export interface SeededCompany {
  readonly id: string;
  readonly name: string;
  readonly class: string;
  readonly owner: { readonly email: string; readonly password: string };
  readonly keys: readonly {
    readonly kind: string;
    readonly apiKey: string;
    readonly boundCompanyId?: string;
  }[];
}

/**
 * Seeds an empty database with the sandbox in one transaction. Returns its companies with passwords and keys. If the sandbox
 * exists, it changes nothing and returns the same result, even if the data has changed since.
 */
export async function seedSandboxData(
  database: Pick<Database, 'transaction'>,
): Promise<readonly SeededCompany[]> {
  const companies = sandboxCompanies();
  await database.transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [SEED_LOCK]);
    const existing = await tx.query('select id from companies where id = any($1::text[])', [
      companies.map(({ id }) => id),
    ]);
    if (existing.length > 0) return;
    await insertCompanies(tx, companies);
    const accountants = companies.filter((company) => company.class === 'ACCOUNTING').map(({ id }) => id);
    const jobs = sandboxJobs(companies);
    await insertJobs(tx, jobs);
    await insertSales(tx, sandboxSales(jobs, accountants));
  });
  return companies.map((company) => ({
    id: company.id,
    name: company.name,
    class: company.class,
    owner: { email: company.owner.email, password: company.owner.password },
    keys: company.keys.map(({ kind, key, boundCompanyId }) => ({
      kind,
      apiKey: key.text,
      ...(boundCompanyId === undefined ? {} : { boundCompanyId }),
    })),
  }));
}

async function insertCompanies(tx: Transaction, companies: readonly SandboxCompany[]): Promise<void> {
  const createdAt = SANDBOX_START;
  const owners = await Promise.all(
    companies.map(async ({ id, owner }) => ({
      ...{ id: owner.membershipId, companyId: id, role: 'OWNER', active: true, createdAt },
      displayName: owner.displayName,
      email: owner.email,
      passwordHash: await hash(owner.password, {
        ...PASSWORD_HASHING,
        salt: stableBytes(`salt ${owner.email}`, 16),
      }),
    })),
  );
  await insertRows(
    tx,
    'companies',
    companies.map((company) => ({ id: company.id, name: company.name, class: company.class, createdAt })),
  );
  const accountants = companies.filter((company) => company.class === 'ACCOUNTING');
  await insertRows(
    tx,
    'accounting_links',
    companies
      .filter((company) => company.class === 'SALES')
      .map(({ id }) => ({ companyId: id, accountingCompanyIds: accountants.map(({ id }) => id).sort() })),
  );
  await insertRows(tx, 'memberships', [
    ...owners,
    ...companies.flatMap(({ id, technicians }) =>
      technicians.map(({ membershipId, displayName, active }) => ({
        ...{ id: membershipId, companyId: id, role: 'TECHNICIAN', displayName, active, createdAt },
        ...{ email: null, passwordHash: null },
      })),
    ),
  ]);
  await insertRows(
    tx,
    'api_keys',
    companies.flatMap(({ id, keys }) =>
      keys.map(({ kind, key: { keyId, secretSha256, lastFour }, boundCompanyId = null }) => ({
        ...{ id: keyId, companyId: id, kind, boundCompanyId, secretSha256, lastFour, createdAt },
      })),
    ),
  );
}

async function insertJobs(tx: Transaction, jobs: readonly SandboxJob[]): Promise<void> {
  const newest = jobs.map((job) => {
    const version = job.versions.at(-1);
    invariant(version, 'a job has a version');
    return { ...job, ...version.job, projection: version.projection };
  });
  await insertRows(
    tx,
    'leads',
    newest.map(({ lead, sellingCompany, customer, soldFrom }) => ({
      ...{ ...lead, companyId: sellingCompany.id, phone: customer.phone, createdAt: soldFrom },
    })),
  );
  await insertRows(
    tx,
    'projects',
    newest.map(({ projectId, lead, sellingCompany, soldFrom }) => ({
      ...{ id: projectId, companyId: sellingCompany.id, leadId: lead.id, createdAt: soldFrom },
      addressKey: normaliseAddress(lead.address),
    })),
  );
  await insertRows(
    tx,
    'jobs',
    newest.map(({ lead: _, soldFrom: _soldFrom, versions: _versions, ...job }) => {
      const { sellingCompany, schedule, readiness, ...columns } = job;
      return {
        ...columns,
        sellingCompanyId: sellingCompany.id,
        scheduleStatus: schedule.status,
        scheduleStartsAt: schedule.startsAt,
        scheduleEndsAt: schedule.endsAt,
        scheduleTimeZone: schedule.timeZone,
        readinessReady: readiness.ready,
        readinessBlockerCodes: readiness.blockerCodes,
      };
    }),
  );
  const contracted = new Map(
    newest.map(({ sellingCompany: { id: sellingCompanyId }, installerCompanyId }) => [
      `${sellingCompanyId} ${installerCompanyId}`,
      { sellingCompanyId, installerCompanyId },
    ]),
  );
  await insertRows(tx, 'contracted_installers', [...contracted.values()]);
  await insertHistory(tx, jobs);
}

/** Inserts the status moves and each company's feed: its changes ordered by time and numbered from 1. */
async function insertHistory(tx: Transaction, jobs: readonly SandboxJob[]): Promise<void> {
  const changes = jobs
    .flatMap(({ versions }) => versions)
    .sort((a, b) => a.job.updatedAt.getTime() - b.job.updatedAt.getTime() || (a.job.id < b.job.id ? -1 : 1));
  await insertRows(
    tx,
    'job_status_events',
    changes
      .filter(({ previousStatus }) => previousStatus !== undefined)
      .map(({ job: { id: jobId, version, status, blockerCode, updatedAt, ...job }, previousStatus }) => ({
        ...{
          jobId,
          version,
          previousStatus,
          status,
          blockerCode,
          occurredAt: updatedAt,
          recordedAt: updatedAt,
        },
        companyId: status === 'CANCELLED' ? job.sellingCompany.id : job.installerCompanyId,
      })),
  );
  const heads = new Map<string, number>();
  const entries = changes.map(({ job, projection }) => {
    const { id: jobId, installerCompanyId: companyId, updatedAt: changedAt } = job;
    invariant(companyId, 'a job of the sandbox is assigned');
    const sequence = (heads.get(companyId) ?? 0) + 1;
    heads.set(companyId, sequence);
    return { companyId, sequence, jobId, changedAt, resource: projection };
  });
  await insertRows(tx, 'feed_entries', entries);
  await insertRows(
    tx,
    'feed_heads',
    [...heads].map(([companyId, last]) => ({ companyId, last })),
  );
}

async function insertSales(
  tx: Transaction,
  { appointments, records, events }: ReturnType<typeof sandboxSales>,
): Promise<void> {
  await insertRows(
    tx,
    'appointments',
    appointments.map((appointment) => ({ ...appointment, version: 1, emittedVersions: '{[1,1]}' })),
  );
  await insertRows(
    tx,
    'sales_records',
    records.map((record) => ({ ...record, emittedVersions: `{[1,${record.version}]}` })),
  );
  await insertRows(
    tx,
    'events',
    events.map(({ resource, ...event }) => ({
      ...event,
      resourceType: resource.type,
      resourceId: resource.id,
      resourceVersion: resource.version,
      createdAt: event.occurredAt,
    })),
  );
}

/** Inserts rows of equal form in one statement. Their fields are the columns, in camel case. Names must be of this file, never input. */
async function insertRows(
  tx: Transaction,
  table: string,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const named = rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([field, value]) => [
        field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value,
      ]),
    ),
  );
  const columns = Object.keys(named[0] ?? {}).join(', ');
  await tx.query(
    `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
    [JSON.stringify(named)],
  );
}
