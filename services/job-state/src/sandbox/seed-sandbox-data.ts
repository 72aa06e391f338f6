import { hash } from '@node-rs/argon2';
import { invariant } from '@partner/kernel/process/invariant';
import { PASSWORD_HASHING } from '@partner/kernel/security/password-hashing';
import type { Database, Transaction } from '../database/database.js';
import { normaliseAddress } from '../leads/address-key/normalise-address.js';
import { SANDBOX_START, type SandboxCompany, sandboxCompanies } from './sandbox-companies.js';
import { type SandboxJob, sandboxJobs } from './sandbox-jobs.js';
import { type SandboxSales, sandboxSales } from './sandbox-sales.js';
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
  const created_at = SANDBOX_START;
  const owners = await Promise.all(
    companies.map(async ({ id, owner }) => ({
      id: owner.membershipId,
      company_id: id,
      role: 'OWNER',
      display_name: owner.displayName,
      email: owner.email,
      password_hash: await hash(owner.password, {
        ...PASSWORD_HASHING,
        salt: stableBytes(`salt ${owner.email}`, 16),
      }),
      active: true,
      created_at,
    })),
  );
  await insertRows(
    tx,
    'companies',
    companies.map((company) => ({ id: company.id, name: company.name, class: company.class, created_at })),
  );
  const accountants = companies.filter((company) => company.class === 'ACCOUNTING');
  await insertRows(
    tx,
    'accounting_links',
    companies
      .filter((company) => company.class === 'SALES')
      .map(({ id }) => ({ company_id: id, accounting_company_ids: accountants.map(({ id }) => id).sort() })),
  );
  await insertRows(tx, 'memberships', [
    ...owners,
    ...companies.flatMap(({ id, technicians }) =>
      technicians.map(({ membershipId, displayName, active }) => ({
        id: membershipId,
        company_id: id,
        role: 'TECHNICIAN',
        display_name: displayName,
        email: null,
        password_hash: null,
        active,
        created_at,
      })),
    ),
  ]);
  await insertRows(
    tx,
    'api_keys',
    companies.flatMap(({ id, keys }) =>
      keys.map(({ kind, key, boundCompanyId }) => ({
        id: key.keyId,
        company_id: id,
        kind,
        bound_company_id: boundCompanyId ?? null,
        secret_sha256: `\\x${key.secretSha256.toString('hex')}`,
        last_four: key.lastFour,
        created_at,
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
      id: lead.id,
      company_id: sellingCompany.id,
      full_name: lead.fullName,
      email: lead.email,
      phone: customer.phone,
      address: lead.address,
      created_at: soldFrom,
    })),
  );
  await insertRows(
    tx,
    'projects',
    newest.map(({ projectId, lead, sellingCompany, soldFrom }) => ({
      id: projectId,
      company_id: sellingCompany.id,
      lead_id: lead.id,
      address_key: normaliseAddress(lead.address),
      created_at: soldFrom,
    })),
  );
  await insertRows(
    tx,
    'jobs',
    newest.map((job) => ({
      id: job.id,
      selling_company_id: job.sellingCompany.id,
      installer_company_id: job.installerCompanyId,
      project_id: job.projectId,
      work_order_no: job.workOrderNo,
      version: job.version,
      status: job.status,
      blocker_code: job.blockerCode,
      assigned_at: job.assignedAt,
      customer: job.customer,
      scope: job.scope,
      schedule_status: job.schedule.status,
      schedule_starts_at: job.schedule.startsAt,
      schedule_ends_at: job.schedule.endsAt,
      schedule_time_zone: job.schedule.timeZone,
      readiness_ready: job.readiness.ready,
      readiness_blocker_codes: job.readiness.blockerCodes,
      documents: job.documents,
      technician_assignments: job.technicianAssignments,
      installer_note: job.installerNote,
      projection: job.projection,
      created_at: job.createdAt,
      updated_at: job.updatedAt,
      last_updated_at: job.lastUpdatedAt,
    })),
  );
  const contracted = new Map(
    newest.map(({ sellingCompany, installerCompanyId }) => [
      `${sellingCompany.id} ${installerCompanyId}`,
      { selling_company_id: sellingCompany.id, installer_company_id: installerCompanyId },
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
      .map(({ job, previousStatus }) => ({
        job_id: job.id,
        version: job.version,
        company_id: job.status === 'CANCELLED' ? job.sellingCompany.id : job.installerCompanyId,
        previous_status: previousStatus,
        status: job.status,
        occurred_at: job.updatedAt,
        blocker_code: job.blockerCode,
        recorded_at: job.updatedAt,
      })),
  );
  const heads = new Map<string, number>();
  const entries = changes.map(({ job, projection }) => {
    invariant(job.installerCompanyId, 'a job of the sandbox is assigned');
    const sequence = (heads.get(job.installerCompanyId) ?? 0) + 1;
    heads.set(job.installerCompanyId, sequence);
    return {
      company_id: job.installerCompanyId,
      sequence,
      job_id: job.id,
      changed_at: job.updatedAt,
      resource: projection,
    };
  });
  await insertRows(tx, 'feed_entries', entries);
  await insertRows(
    tx,
    'feed_heads',
    [...heads].map(([company_id, last]) => ({ company_id, last })),
  );
}

async function insertSales(tx: Transaction, { appointments, records, events }: SandboxSales): Promise<void> {
  await insertRows(
    tx,
    'appointments',
    appointments.map((appointment) => ({
      id: appointment.id,
      company_id: appointment.companyId,
      lead_id: appointment.leadId,
      project_id: appointment.projectId,
      starts_at: appointment.startsAt,
      ends_at: appointment.endsAt,
      version: 1,
      emitted_versions: '{[1,1]}',
      created_at: appointment.createdAt,
    })),
  );
  await insertRows(
    tx,
    'sales_records',
    records.map(({ id, kind, companyId, projectId, version, state }) => ({
      id,
      kind,
      company_id: companyId,
      project_id: projectId,
      version,
      emitted_versions: `{[1,${version}]}`,
      state,
    })),
  );
  await insertRows(
    tx,
    'events',
    events.map((event) => ({
      id: event.id,
      company_id: event.companyId,
      name: event.name,
      schema_version: event.schemaVersion,
      occurred_at: event.occurredAt,
      resource_type: event.resource.type,
      resource_id: event.resource.id,
      resource_version: event.resource.version,
      body: `\\x${event.body.toString('hex')}`,
      created_at: event.occurredAt,
    })),
  );
}

/** Inserts rows of equal form in one statement. Table and column names must be literals of this file, never input. */
async function insertRows(
  tx: Transaction,
  table: string,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).join(', ');
  await tx.query(
    `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
    [JSON.stringify(rows)],
  );
}
