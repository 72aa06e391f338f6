import { ERASED_TEXT } from '@partner/proto-contracts/values/redacted';
import { ERASED_CUSTOMER, redactDetails, redactEnvelope, redactJob, redactOutcome } from './redact.js';
import { redactMessage } from './redact-message.js';

/** A row as Postgres returns it. */
export type StoredRow = Readonly<Record<string, unknown>>;

/** The rows of a table that concern a customer. */
interface PersonRows {
  /**
   * Condition on the row `t`. `{jobs}` and the like stand for arrays of ids, see `PersonIds`.
   *
   * With `scanned` it only limits what is read, page by page along the key, and `scanned` selects among it. Such a table is read
   * company by company (`{company}`), so its key begins with the company.
   */
  readonly where: string;
  readonly scanned?: string;
  /** The columns of a unique key with their types. */
  readonly key: readonly (readonly [column: string, type: string])[];
  /** The columns that hold personal data, with their value after the erasure. */
  readonly personal: Readonly<Record<string, (value: unknown, row: StoredRow) => unknown>>;
}

/** The rows of a table that only one company can read. */
export interface CompanyRows {
  /** Condition on the row `t` that an index on the company serves; absent: the whole table is scanned. */
  readonly where?: string;
  /** Selects among the rows; `{company}` is its id. */
  readonly scanned?: string;
  /** The columns of a unique key with their types; absent: those of the rows about a customer, or `id`. */
  readonly key?: PersonRows['key'];
  /** The columns to erase, with their value afterwards. */
  readonly erased: PersonRows['personal'];
}

/** A table of the database. */
interface StoredTable {
  readonly name: string;
  /** Columns of text, JSON or bytes without personal data of customers: ids, codes, texts of a company's own staff, secrets. */
  readonly kept: string;
  /** Absent: it holds nothing about customers. */
  readonly person?: PersonRows;
  /** Absent: it holds nothing of a company but ids, settings and counts, or what is deleted with its access. */
  readonly company?: CompanyRows;
  /** Rows that another company can read too: an erasure of the company erases these columns, and no export has them. */
  readonly shared?: readonly CompanyRows[];
}

/** The URL of a deleted subscription after the erasure. */
const ERASED_URL = 'https://erased.invalid/';
const ID = [['id', 'text']] as const;
const erased = () => ERASED_TEXT;
const nothing = () => null;
const textBy = (redact: (text: string) => string) => (value: unknown) =>
  typeof value === 'string' ? redact(value) : value;
const bytesBy = (redact: (body: Buffer, row: StoredRow) => Buffer) => (value: unknown, row: StoredRow) =>
  Buffer.isBuffer(value) ? redact(value, row) : value;
const message = bytesBy((body, { type }) => redactMessage(type, body));

const LEAD = { full_name: erased, email: erased, phone: erased, address: erased, sms_consent: nothing };
const OF_EVENTS = 't.company_id = any({companies}) and t.event_id = any({events})';

/**
 * Where data is: every table, in the order in which an export lists and an erasure visits them.
 *
 * Everything else is rendered from the tables up to `jobs`. Responses of receivers come last: attempts can be in flight. Searches,
 * exports and erasures of a customer's or a company's data walk this list. A test fails for a column of text, JSON or bytes that it
 * does not name.
 */
export const STORED_TABLES: readonly StoredTable[] = [
  {
    name: 'leads',
    kept: 'id company_id',
    person: { where: 't.id = any({leads})', key: ID, personal: LEAD },
    company: { scanned: 't.company_id = {company}', erased: LEAD },
  },
  {
    name: 'lead_submissions',
    kept: 'lead_id',
    person: { where: 't.lead_id = any({leads})', key: [['id', 'bigint']], personal: LEAD },
    company: {
      scanned: 'exists (select from leads l where l.id = t.lead_id and l.company_id = {company})',
      erased: LEAD,
    },
  },
  {
    name: 'projects',
    kept: 'id company_id lead_id',
    person: { where: 't.id = any({projects})', key: ID, personal: { address_key: nothing } },
    company: { scanned: 't.company_id = {company}', erased: { address_key: nothing } },
  },
  {
    name: 'appointments',
    kept: 'id company_id lead_id project_id',
    person: { where: 't.id = any({appointments})', key: ID, personal: { notes: nothing } },
    company: { scanned: 't.company_id = {company}', erased: { notes: nothing } },
  },
  {
    name: 'jobs',
    kept: `id selling_company_id installer_company_id project_id work_order_no status blocker_code scope schedule_status
      schedule_time_zone readiness_blocker_codes documents technician_assignments platform_state`,
    person: {
      where: 't.id = any({jobs})',
      key: ID,
      personal: {
        customer: () => ERASED_CUSTOMER,
        projection: textBy(redactJob),
        installer_note: nothing,
      },
    },
    company: {
      scanned: 't.selling_company_id = {company}',
      erased: { installer_note: nothing },
    },
    shared: [
      {
        scanned: 't.installer_company_id = {company}',
        erased: { projection: textBy(redactJob) },
      },
      {
        // The seller and the installer have the customer in their records until both are erased.
        scanned: `{company} in (t.selling_company_id, t.installer_company_id) and not exists (
          select from unnest(array[t.selling_company_id, t.installer_company_id]) as owner (id)
          where owner.id not in (select e.subject ->> 'companyId' from erasures e where e.subject ? 'companyId')
        )`,
        erased: { customer: () => ERASED_CUSTOMER, projection: textBy(redactJob) },
      },
    ],
  },
  {
    name: 'job_status_events',
    kept: 'job_id company_id previous_status status blocker_code',
    person: {
      where: 't.job_id = any({jobs})',
      key: [
        ['job_id', 'text'],
        ['version', 'integer'],
      ],
      personal: { note: nothing },
    },
    company: { scanned: 't.company_id = {company}', erased: { note: nothing } },
  },
  {
    name: 'sales_records',
    kept: 'id kind company_id project_id state',
    person: { where: 't.id = any({facts})', key: ID, personal: {} },
    company: { scanned: 't.company_id = {company}', erased: {} },
  },
  {
    // Codes and amounts (decision PLATFORM-16).
    name: 'journal_entries',
    kept: 'id company_id event data',
    person: { where: 't.id = any({facts})', key: ID, personal: {} },
    company: { scanned: 't.company_id = {company}', erased: {} },
  },
  {
    name: 'feed_entries',
    kept: 'company_id job_id',
    person: {
      where: 't.company_id = any({companies}) and t.job_id = any({jobs})',
      key: [
        ['company_id', 'text'],
        ['sequence', 'bigint'],
        ['changed_at', 'timestamptz'],
      ],
      personal: { resource: textBy(redactJob) },
    },
    company: { where: 't.company_id = {company}', erased: { resource: textBy(redactJob) } },
  },
  {
    name: 'events',
    kept: 'id company_id name resource_type resource_id trace_parent request_id not_queued test_subscription_id',
    person: {
      where: 't.company_id = any({companies}) and t.resource_id = any({resources})',
      key: ID,
      personal: { body: bytesBy(redactEnvelope) },
    },
    company: { where: 't.company_id = {company}', erased: { body: bytesBy(redactEnvelope) } },
  },
  {
    name: 'deliveries',
    kept: `id subscription_id company_id event_id event resource_type resource_id replay_of bulk_replay_id state lease_id
      wrong_secret test_url test_headers`,
    person: { where: OF_EVENTS, key: ID, personal: {} },
    company: {
      where: 't.company_id = {company}',
      erased: { wrong_secret: nothing, test_url: nothing, test_headers: nothing },
    },
  },
  {
    name: 'finished_deliveries',
    kept: 'id subscription_id company_id event_id event resource_type resource_id replay_of bulk_replay_id state wrong_secret test_url',
    person: { where: OF_EVENTS, key: ID, personal: {} },
    company: { where: 't.company_id = {company}', erased: { wrong_secret: nothing, test_url: nothing } },
  },
  {
    name: 'idempotency_keys',
    kept: 'company_id key operation body_sha256',
    person: {
      where: 't.company_id = {company}',
      scanned: 'exists (select from unnest({jobs}) as job where strpos(t.outcome, job) > 0)',
      key: [
        ['company_id', 'text'],
        ['key', 'text'],
        ['expires_at', 'timestamptz'],
      ],
      personal: { outcome: textBy(redactOutcome) },
    },
    company: { where: 't.company_id = {company}', erased: { outcome: textBy(redactOutcome) } },
  },
  {
    name: 'outbox',
    kept: 'message_id exchange type trace_parent request_id',
    person: {
      where: `exists (select from unnest({resources}) as resource where position(convert_to(resource, 'UTF8') in t.body) > 0)`,
      key: [
        ['id', 'bigint'],
        ['created_at', 'timestamptz'],
      ],
      personal: { body: message },
    },
    company: {
      where: `position(convert_to({company}, 'UTF8') in t.body) > 0`,
      erased: { body: message },
    },
  },
  {
    // Reasons of dead letters have ids and states, never personal data.
    name: 'inbox',
    kept: 'message_id prerequisite_id dead_reason resource_id type trace_parent',
    person: {
      where: `(t.prerequisite_id is not null or t.dead_reason is not null)
        and exists (select from unnest({resources}) as resource where position(convert_to(resource, 'UTF8') in t.body) > 0)`,
      key: [['message_id', 'text']],
      personal: { body: message },
    },
    company: {
      // Some messages name a lead alone.
      where: `(t.prerequisite_id is not null or t.dead_reason is not null)
        and (position(convert_to({company}, 'UTF8') in t.body) > 0 or exists (
          select from regexp_matches(encode(t.body, 'escape'), 'lead_[0-9a-z]{26}', 'g') as named
          join leads l on l.id = named[1] and l.company_id = {company}
        ))`,
      erased: { body: message },
    },
  },
  {
    name: 'audit_entries',
    kept: `id company_id action subject_type subject_id membership_id display_name remote_address user_agent request_id
      details`,
    person: {
      where: `t.company_id = any({companies}) and t.action = 'person.erased'
        and exists (select from unnest({resources}) as resource where strpos(t.details::text, resource) > 0)`,
      key: ID,
      personal: {},
    },
    company: {
      where: 't.company_id = {company}',
      erased: {
        display_name: (value) => (String(value).startsWith('operator: ') ? value : ERASED_TEXT),
        remote_address: nothing,
        user_agent: nothing,
        details: redactDetails,
      },
    },
  },
  {
    // A receiver responds with whatever it likes, so its whole response counts as personal.
    name: 'delivery_attempts',
    kept: 'delivery_id id outcome error remote_address exchange',
    person: {
      where: 't.delivery_id = any({deliveries})',
      key: [
        ['delivery_id', 'text'],
        ['id', 'text'],
      ],
      personal: { response_body: nothing, response_headers: nothing },
    },
    company: {
      scanned:
        'exists (select from all_deliveries d where d.id = t.delivery_id and d.company_id = {company})',
      erased: { response_body: nothing, response_headers: nothing, error: nothing, remote_address: nothing },
    },
  },
  // Companies, their staff, webhooks and keys: nothing about customers.
  { name: 'accounting_links', kept: 'company_id accounting_company_ids' },
  {
    name: 'api_keys',
    kept: 'id company_id kind bound_company_id secret_sha256 last_four description replaced_by faults',
    company: {
      where: 't.company_id = {company}',
      erased: { description: nothing, faults: nothing, secret_sha256: () => Buffer.alloc(0) },
    },
  },
  {
    name: 'bulk_replays',
    kept: 'id subscription_id company_id kind delivery_states event state after_id event_ids',
  },
  // Other companies' records show the name.
  { name: 'companies', kept: 'id name class', company: { where: 't.id = {company}', erased: {} } },
  // Nothing reads it: `all-migrations.ts` says when it is dropped.
  { name: 'company_moves', kept: 'company_id state' },
  { name: 'contracted_installers', kept: 'selling_company_id installer_company_id' },
  { name: 'delivery_statistics', kept: 'subscription_id' },
  { name: 'erasures', kept: 'id subject operator progress erased_rows' },
  { name: 'event_heads', kept: 'company_id delivery_counts' },
  { name: 'feed_heads', kept: 'company_id' },
  { name: 'journal_backfills', kept: 'company_id entry_id' },
  {
    name: 'memberships',
    kept: 'id company_id role display_name email password_hash',
    company: { where: 't.company_id = {company}', erased: { display_name: erased, email: nothing } },
  },
  { name: 'notification_emails', kept: 'membership_id event_id lease_id' },
  { name: 'notification_recipients', kept: 'membership_id emails lease_id' },
  { name: 'password_links', kept: 'membership_id token_sha256' },
  { name: 'provider_links', kept: 'issuer subject membership_id' },
  { name: 'second_factors', kept: 'id membership_id sealed sealing_key_id recovery_code_sha256s' },
  { name: 'security_notices', kept: 'company_id kind subject_id email details lease_id' },
  {
    name: 'sent_announcements',
    kept: 'id announcement company_id email operator',
    company: {
      scanned: 't.company_id = {company}',
      // Unique for an announcement.
      erased: { email: (_, row) => row['id'] },
    },
  },
  { name: 'subscription_secrets', kept: 'subscription_id sealed sealing_key_id' },
  {
    name: 'subscriptions',
    kept: 'id company_id url description events state health header_names',
    company: {
      scanned: 't.company_id = {company}',
      erased: { url: () => ERASED_URL, description: () => '' },
    },
  },
  { name: 'technical_contacts', kept: 'company_id email pending_email pending_token_sha256' },
  { name: 'unannounced_dead_letters', kept: 'subscription_id' },
  { name: 'unassigned_jobs', kept: 'company_id job_id' },
];
