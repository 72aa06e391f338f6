import { NEVER, ofDeliveries, type Table } from './table.js';

/** The tables of companies, their staff, webhooks and keys: nothing about customers. */
export const COMPANY_TABLES: readonly Table[] = [
  { name: 'accounting_links', deleted: NEVER, plain: 'company_id accounting_company_ids' },
  {
    name: 'api_keys',
    deleted: NEVER,
    plain:
      'id company_id kind bound_company_id secret_sha256 last_four description replaced_by faults networks',
    company: {
      where: 't.company_id = {company}',
      erased: { description: 'null', faults: 'null', networks: 'null', secret_sha256: 'no bytes' },
    },
  },
  {
    name: 'bulk_replays',
    deleted: { afterDays: ofDeliveries, rowsIf: 't.finished_at < {before}' },
    plain: 'id subscription_id company_id kind delivery_states event cause state after_id event_ids',
  },
  // Other companies' records show the name.
  {
    name: 'companies',
    deleted: NEVER,
    plain: 'id name class',
    company: { where: 't.id = {company}', erased: {} },
  },
  { name: 'contracted_installers', deleted: NEVER, plain: 'selling_company_id installer_company_id' },
  {
    name: 'delivery_statistics',
    deleted: {
      partitionedBy: { kind: 'instant', column: 'starts_at' },
      widthDays: 7,
      afterDays: ofDeliveries,
      rowsIf: 't.starts_at < {before}',
    },
    plain: 'subscription_id deliveries',
  },
  { name: 'erasures', deleted: NEVER, plain: 'id subject operator progress erased_rows' },
  { name: 'event_heads', deleted: NEVER, plain: 'company_id' },
  { name: 'event_numbers', deleted: 'within minutes of a newer one', plain: 'company_id delivery_counts' },
  { name: 'feed_heads', deleted: NEVER, plain: 'company_id' },
  { name: 'journal_backfills', deleted: 'when it finishes', plain: 'company_id entry_id' },
  {
    name: 'memberships',
    deleted: 'when a membership of the platform takes its place',
    plain: 'id company_id role display_name email password_hash',
    company: { where: 't.company_id = {company}', erased: { display_name: 'erased', email: 'null' } },
  },
  {
    name: 'notification_emails',
    deleted: {
      // Longer than an outage of the mail server; older notifications are no news.
      afterDays: 7,
      rowsIf: 't.created_at < {before}',
    },
    plain: 'membership_id event_id lease_id',
  },
  { name: 'notification_recipients', deleted: 'with its membership', plain: 'membership_id emails lease_id' },
  { name: 'password_links', deleted: 'when it is used or replaced', plain: 'membership_id token_sha256' },
  { name: 'provider_links', deleted: 'when the person is unlinked', plain: 'issuer subject membership_id' },
  { name: 'restores', deleted: NEVER, plain: '' },
  { name: 'service_incidents', deleted: { afterDays: 30, rowsIf: 't.seen_at < {before}' }, plain: 'cause' },
  {
    name: 'second_factors',
    deleted: 'when it is removed or reset',
    plain: 'id membership_id sealed sealing_key_id recovery_code_sha256s',
  },
  {
    name: 'security_notices',
    deleted: {
      // They are retried for as long. Equal ones are merged within an hour of the last email, much less than the day that it stays.
      afterDays: 30,
      rowsIf: `(t.last_at < {before} or t.count = 0 and t.mailed_at < {before}::timestamptz + interval '29 days')`,
    },
    plain: 'company_id kind subject_id email details lease_id',
  },
  {
    name: 'sent_announcements',
    deleted: NEVER,
    plain: 'id announcement company_id email operator',
    company: {
      scanned: 't.company_id = {company}',
      // Unique for an announcement.
      erased: { email: 'id' },
    },
  },
  {
    name: 'subscription_secrets',
    deleted: 'after a rotation, or with its subscription',
    plain: 'subscription_id sealed sealing_key_id',
  },
  {
    name: 'subscriptions',
    deleted: {
      // Longer than any statement that saw it before it was deleted, then as long as its deliveries.
      afterDays: 1,
      rowsIf: `t.deleted_at < {before} and (select true from deliveries where subscription_id = t.id limit 1) is null
        and (select true from finished_deliveries where subscription_id = t.id limit 1) is null`,
      batchRows: 500,
    },
    plain: 'id company_id url description events state health header_names fields',
    company: { scanned: 't.company_id = {company}', erased: { url: 'url', description: 'empty' } },
  },
  {
    name: 'technical_contacts',
    deleted: 'with the access of its company',
    plain: 'company_id email pending_email pending_token_sha256',
  },
  { name: 'unannounced_dead_letters', deleted: 'with its subscription', plain: 'subscription_id' },
  { name: 'unassigned_jobs', deleted: NEVER, plain: 'company_id job_id' },
  {
    // Deleted with the access of its company before.
    name: 'webhook_proposals',
    deleted: { afterDays: 90, rowsIf: 't.created_at < {before}' },
    plain: 'id company_id key_id source wanted filed state decided_by',
  },
];
