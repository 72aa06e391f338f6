import { LIMITS } from '@partner/proto-contracts/api/limits';
import { eventDays } from '@partner/proto-contracts/api/retention';
import { AUDIT_RETENTION_DAYS } from '@partner/proto-contracts/resources/audit-entry/audit-entry';
import { LEAD } from './lead-columns.js';
import { COMPANY_TABLES } from './company-tables.js';
import { NEVER, ofDeliveries, type Table } from './table.js';

/** The clocks of replicas may differ, and a transaction may write rows of an earlier time. */
const SKEW_DAYS = 1;
const ARCHIVED = { archivedBy: 'archived_at' } as const;
const EVENT_KEY = { kind: 'id', column: 'id', prefix: 'evt' } as const;
const DELIVERY_KEY = { kind: 'id', column: 'id', prefix: 'dlv' } as const;
const ID = { id: 'text' } as const;
const ERASED_LEAD = Object.fromEntries(
  Object.values(LEAD).map(({ name, type }) => [name, type === 'text' ? 'erased' : 'null'] as const),
);
const OF_LEADS = 'exists (select from leads l where l.id = t.lead_id and l.company_id = {company})';
const OF_EVENTS = 't.company_id = any({companies}) and t.event_id = any({events})';

/**
 * Every table: how long its rows live, and what in it is personal.
 *
 * An export lists and an erasure visits them in this order; partitions are dropped in the reverse one, an event after its deliveries.
 * All else is rendered from the tables up to `jobs`. Responses of receivers come last among the rows about a customer: attempts can be
 * in flight. A test fails for a table, or a column of text, JSON or bytes, that is not here.
 */
export const TABLES: readonly Table[] = [
  {
    name: 'leads',
    deleted: NEVER,
    plain: 'id company_id',
    customer: { where: 't.id = any({leads})', key: ID, personal: ERASED_LEAD },
    company: { scanned: 't.company_id = {company}', erased: ERASED_LEAD },
  },
  {
    name: 'lead_submissions',
    deleted: NEVER,
    plain: 'lead_id',
    customer: { where: 't.lead_id = any({leads})', key: { id: 'bigint' }, personal: ERASED_LEAD },
    company: { scanned: OF_LEADS, erased: ERASED_LEAD },
  },
  {
    name: 'projects',
    deleted: NEVER,
    plain: 'id company_id lead_id',
    customer: { where: 't.id = any({projects})', key: ID, personal: { address_key: 'null' } },
    company: { scanned: 't.company_id = {company}', erased: { address_key: 'null' } },
  },
  {
    name: 'appointments',
    deleted: NEVER,
    plain: 'id company_id lead_id project_id',
    customer: { where: 't.id = any({appointments})', key: ID, personal: { notes: 'null' } },
    company: { scanned: 't.company_id = {company}', erased: { notes: 'null' } },
  },
  {
    name: 'jobs',
    deleted: ARCHIVED,
    plain: `id selling_company_id installer_company_id project_id work_order_no status blocker_code scope schedule_status
      schedule_time_zone readiness_blocker_codes documents technician_assignments platform_state`,
    customer: {
      where: 't.id = any({jobs})',
      key: ID,
      personal: { customer: 'customer', projection: 'job', installer_note: 'null' },
    },
    company: { scanned: 't.selling_company_id = {company}', erased: { installer_note: 'null' } },
    shared: [
      { scanned: 't.installer_company_id = {company}', erased: { projection: 'job' } },
      {
        // The seller and the installer have the customer in their records until both are erased.
        scanned: `{company} in (t.selling_company_id, t.installer_company_id) and not exists (
          select from unnest(array[t.selling_company_id, t.installer_company_id]) as owner (id)
          where owner.id not in (select e.subject ->> 'companyId' from erasures e where e.subject ? 'companyId')
        )`,
        erased: { customer: 'customer', projection: 'job' },
      },
    ],
  },
  {
    name: 'job_status_events',
    deleted: ARCHIVED,
    plain: 'job_id company_id previous_status status blocker_code',
    customer: {
      where: 't.job_id = any({jobs})',
      key: { job_id: 'text', version: 'integer' },
      personal: { note: 'null' },
    },
    company: { scanned: 't.company_id = {company}', erased: { note: 'null' } },
  },
  {
    name: 'sales_records',
    deleted: NEVER,
    plain: 'id kind company_id project_id state',
    customer: { where: 't.id = any({facts})', key: ID, personal: {} },
    company: { scanned: 't.company_id = {company}', erased: {} },
  },
  {
    // Codes and amounts (decision PLATFORM-16).
    name: 'journal_entries',
    deleted: {
      // How late a change of accounting links may arrive (decision PLATFORM-18).
      afterDays: 30,
      rowsIf: 't.recorded_at < {before} order by t.recorded_at',
    },
    plain: 'id company_id event data',
    customer: { where: 't.id = any({facts})', key: ID, personal: {} },
    company: { scanned: 't.company_id = {company}', erased: {} },
  },
  {
    name: 'feed_entries',
    deleted: {
      partitionedBy: { kind: 'instant', column: 'changed_at' },
      widthDays: 30,
      afterDays: ({ feedDays }) => feedDays,
    },
    plain: 'company_id job_id',
    customer: {
      where: 't.company_id = any({companies}) and t.job_id = any({jobs})',
      key: { company_id: 'text', sequence: 'bigint', changed_at: 'timestamptz' },
      personal: { resource: 'job' },
    },
    company: { where: 't.company_id = {company}', erased: { resource: 'job' } },
  },
  {
    name: 'events',
    deleted: {
      partitionedBy: EVENT_KEY,
      widthDays: 7,
      afterDays: ({ deliveriesDays }) => eventDays(deliveriesDays),
      // A waiting delivery needs the body, a finished one shows it.
      unless: `exists (select from deliveries where event_id >= {from} and event_id < {to})
        or exists (select from finished_deliveries where event_id >= {from} and event_id < {to})`,
      rowsIf: `t.id < {bound} and t.created_at < {before}
        and (select true from deliveries where event_id = t.id limit 1) is null
        and (select true from finished_deliveries where event_id = t.id limit 1) is null`,
    },
    plain:
      'id company_id name resource_type resource_id trace_parent request_id not_queued test_subscription_id',
    customer: {
      where: 't.company_id = any({companies}) and t.resource_id = any({resources})',
      key: ID,
      personal: { body: 'envelope' },
    },
    company: { where: 't.company_id = {company}', erased: { body: 'envelope' } },
  },
  {
    name: 'deliveries',
    deleted: 'when it finishes: finished_deliveries has it then',
    plain: `id subscription_id company_id event_id event resource_type resource_id replay_of bulk_replay_id state lease_id
      wrong_secret test_url test_headers`,
    customer: { where: OF_EVENTS, key: ID, personal: {} },
    company: {
      where: 't.company_id = {company}',
      erased: { wrong_secret: 'null', test_url: 'null', test_headers: 'null' },
    },
  },
  {
    name: 'finished_deliveries',
    deleted: {
      partitionedBy: DELIVERY_KEY,
      widthDays: 7,
      afterDays: ofDeliveries,
      // For a delivery that was held for long the end counts, not the start.
      unless: 'exists (select from {partition} where finished_at >= {before})',
      // A delivery that waited longer than the retention arrives here when it finishes, and is kept from then on.
      rowsIf: 't.id < {bound} and t.finished_at < {before}',
    },
    plain: `id subscription_id company_id event_id event resource_type resource_id replay_of bulk_replay_id state wrong_secret
      test_url`,
    customer: { where: OF_EVENTS, key: ID, personal: {} },
    company: { where: 't.company_id = {company}', erased: { wrong_secret: 'null', test_url: 'null' } },
  },
  {
    name: 'idempotency_keys',
    deleted: {
      partitionedBy: { kind: 'instant', column: 'expires_at' },
      // A lookup reads each partition; with seven of them it costs a third less than with twelve.
      widthDays: 15,
      aheadDays: LIMITS.idempotencyRetentionDays,
      afterDays: SKEW_DAYS,
      rowsIf: 't.expires_at <= {before}',
    },
    plain: 'company_id key operation body_sha256',
    customer: {
      where: 't.company_id = {company}',
      scanned: 'exists (select from unnest({jobs}) as job where strpos(t.outcome, job) > 0)',
      key: { company_id: 'text', key: 'text', expires_at: 'timestamptz' },
      personal: { outcome: 'outcome' },
    },
    company: { where: 't.company_id = {company}', erased: { outcome: 'outcome' } },
  },
  {
    name: 'outbox',
    deleted: {
      partitionedBy: { kind: 'instant', column: 'created_at' },
      widthDays: 7,
      afterDays: SKEW_DAYS,
      // An unconfirmed message is never dropped.
      unless: 'exists (select from {partition})',
    },
    plain: 'message_id exchange type trace_parent request_id',
    customer: {
      where: `exists (select from unnest({resources}) as resource where position(convert_to(resource, 'UTF8') in t.body) > 0)`,
      key: { id: 'bigint', created_at: 'timestamptz' },
      personal: { body: 'message' },
    },
    company: {
      where: `position(convert_to({company}, 'UTF8') in t.body) > 0`,
      erased: { body: 'message' },
    },
  },
  {
    // Reasons of dead letters have ids and states, never personal data.
    name: 'inbox',
    deleted: {
      // Longer than the platform repeats a message.
      afterDays: 90,
      rowsIf: 't.received_at < {before} order by t.received_at',
    },
    plain: 'message_id prerequisite_id dead_reason resource_id type trace_parent',
    customer: {
      where: `(t.prerequisite_id is not null or t.dead_reason is not null)
        and exists (select from unnest({resources}) as resource where position(convert_to(resource, 'UTF8') in t.body) > 0)`,
      key: { message_id: 'text' },
      personal: { body: 'message' },
    },
    company: {
      // Some messages name a lead alone.
      where: `(t.prerequisite_id is not null or t.dead_reason is not null)
        and (position(convert_to({company}, 'UTF8') in t.body) > 0 or exists (
          select from regexp_matches(encode(t.body, 'escape'), 'lead_[0-9a-z]{26}', 'g') as named
          join leads l on l.id = named[1] and l.company_id = {company}
        ))`,
      erased: { body: 'message' },
    },
  },
  {
    name: 'audit_entries',
    deleted: {
      partitionedBy: { kind: 'id', column: 'id', prefix: 'aud' },
      widthDays: 30,
      afterDays: AUDIT_RETENTION_DAYS,
      rowsIf: 't.id < {bound}',
    },
    plain: `id company_id action subject_type subject_id membership_id display_name remote_address user_agent request_id
      details`,
    customer: {
      where: `t.company_id = any({companies}) and t.action = 'person.erased'
        and exists (select from unnest({resources}) as resource where strpos(t.details::text, resource) > 0)`,
      key: ID,
      personal: {},
    },
    company: {
      where: 't.company_id = {company}',
      erased: { display_name: 'actor name', remote_address: 'null', user_agent: 'null', details: 'details' },
    },
  },
  {
    // A receiver responds with whatever it likes, so its whole response counts as personal.
    name: 'delivery_attempts',
    deleted: {
      partitionedBy: { ...DELIVERY_KEY, column: 'delivery_id' },
      widthDays: 7,
      afterDays: ofDeliveries,
      unless: 'exists (select from {partition} where recorded_at >= {before})',
      rowsIf: 't.delivery_id < {bound} and t.recorded_at < {before}',
    },
    plain: 'delivery_id id outcome error remote_address exchange',
    customer: {
      where: 't.delivery_id = any({deliveries})',
      key: { delivery_id: 'text', id: 'text' },
      personal: { response_body: 'null', response_headers: 'null' },
    },
    company: {
      scanned:
        'exists (select from all_deliveries d where d.id = t.delivery_id and d.company_id = {company})',
      erased: { response_body: 'null', response_headers: 'null', error: 'null', remote_address: 'null' },
    },
  },
  {
    name: 'test_requests',
    deleted: { afterDays: 1, rowsIf: 't.received_at < {before}' },
    plain: 'id company_id event webhook_id signature',
    customer: {
      where: `t.company_id = any({companies})
        and exists (select from unnest({resources}) as resource where position(convert_to(resource, 'UTF8') in t.body) > 0)`,
      key: { company_id: 'text', id: 'text' },
      personal: { headers: 'null', body: 'no bytes' },
    },
    company: { where: 't.company_id = {company}', erased: { headers: 'null', body: 'no bytes' } },
  },
  ...COMPANY_TABLES,
];
