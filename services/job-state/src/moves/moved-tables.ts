/** The rows of a table that belong to companies. */
export interface MovedTable {
  readonly name: string;
  /** Condition on the row `t`; `{companies}` is the array of their ids. It may read tables that come before. */
  readonly where: string;
  /** A column that each database numbers for itself: rows get new numbers in the same order. */
  readonly renumbered?: string;
}

const OF_COMPANY = 't.company_id = any({companies})';
const MEMBERSHIPS = 'select m.id from memberships m where m.company_id = any({companies})';
const SUBSCRIPTIONS = 'select s.id from subscriptions s where s.company_id = any({companies})';
const JOBS =
  'select j.id from jobs j where j.selling_company_id = any({companies}) or j.installer_company_id = any({companies})';

/**
 * The tables that move with companies: a referenced table comes before its referrers, and tables that a running service writes to come
 * before those that only grow, so that a lock that is not granted costs little.
 *
 * Rows are copied in this order and deleted in the reverse one. A test fails for a table that is neither here nor in
 * {@link STAYING_TABLES}.
 */
export const MOVED_TABLES: readonly MovedTable[] = [
  { name: 'companies', where: 't.id = any({companies})' },
  { name: 'feed_heads', where: OF_COMPANY },
  { name: 'event_heads', where: OF_COMPANY },
  { name: 'accounting_links', where: OF_COMPANY },
  { name: 'contracted_installers', where: 't.selling_company_id = any({companies})' },
  { name: 'api_keys', where: OF_COMPANY },
  { name: 'technical_contacts', where: OF_COMPANY },
  { name: 'security_notices', where: OF_COMPANY },
  { name: 'memberships', where: OF_COMPANY },
  { name: 'password_links', where: `t.membership_id in (${MEMBERSHIPS})` },
  { name: 'provider_links', where: `t.membership_id in (${MEMBERSHIPS})` },
  { name: 'second_factors', where: `t.membership_id in (${MEMBERSHIPS})` },
  { name: 'notification_recipients', where: `t.membership_id in (${MEMBERSHIPS})` },
  { name: 'notification_emails', where: `t.membership_id in (${MEMBERSHIPS})` },
  { name: 'subscriptions', where: OF_COMPANY },
  { name: 'subscription_secrets', where: `t.subscription_id in (${SUBSCRIPTIONS})` },
  { name: 'unannounced_dead_letters', where: `t.subscription_id in (${SUBSCRIPTIONS})` },
  { name: 'bulk_replays', where: `t.subscription_id in (${SUBSCRIPTIONS})` },
  { name: 'leads', where: OF_COMPANY },
  { name: 'projects', where: OF_COMPANY },
  { name: 'appointments', where: OF_COMPANY },
  { name: 'jobs', where: `t.id in (${JOBS})` },
  { name: 'journal_backfills', where: OF_COMPANY },
  { name: 'sales_records', where: OF_COMPANY },
  { name: 'deliveries', where: OF_COMPANY },
  { name: 'delivery_statistics', where: `t.subscription_id in (${SUBSCRIPTIONS})` },
  {
    name: 'lead_submissions',
    where: `t.lead_id in (select l.id from leads l where l.company_id = any({companies}))`,
    renumbered: 'id',
  },
  { name: 'job_status_events', where: `t.job_id in (${JOBS})` },
  { name: 'journal_entries', where: OF_COMPANY },
  { name: 'sent_announcements', where: OF_COMPANY },
  // A company that has been erased gets no access again.
  { name: 'erasures', where: `t.subject ->> 'companyId' = any({companies})` },
  { name: 'idempotency_keys', where: OF_COMPANY },
  { name: 'unassigned_jobs', where: OF_COMPANY },
  { name: 'feed_entries', where: OF_COMPANY },
  { name: 'events', where: OF_COMPANY },
  { name: 'finished_deliveries', where: OF_COMPANY },
  {
    name: 'delivery_attempts',
    where: `t.delivery_id in (
      select d.id from deliveries d where d.company_id = any({companies})
      union all select f.id from finished_deliveries f where f.company_id = any({companies}))`,
  },
  { name: 'audit_entries', where: OF_COMPANY },
];

/** The tables that do not move with companies, and why. */
export const STAYING_TABLES: Readonly<Record<string, string>> = {
  company_moves: 'each database has its own moves',
  inbox: 'messages that wait follow after the move; of the others only ids are left',
  outbox: 'the relay of the source publishes its messages',
  restores: 'a restore is one of a database; the numbers of companies have it',
};
