import { newId } from '@partner/kernel/ids';
import type { Queryable } from '../../database/database.js';

/** The ids of what {@link fillTables} adds. */
export interface FilledTables {
  readonly membershipId: string;
  readonly subscriptionId: string;
}

/** Names in braces stand for ids. Texts and JSON have characters that a copy must escape, or would reformat. */
const STATEMENTS = [
  `accounting_links (company_id, accounting_company_ids) values ('{company}', array['{accounting}'])`,
  `journal_backfills (company_id, occurred_at, entry_id) values ('{company}', now(), '')`,
  `api_keys (id, company_id, kind, secret_sha256, last_four, replaced_by)
   values ('{key}', '{company}', 'general', '\\x00ff', 'q7Zr', '{key}')`,
  `technical_contacts (company_id, email, confirmed_at) values ('{company}', 'it@seller.example', now())`,
  `memberships (id, company_id, role, display_name, email, password_hash)
   values ('{membership}', '{company}', 'OWNER', 'Dana "D"', 'dana@seller.example', 'hash')`,
  `password_links (membership_id, token_sha256, expires_at) values ('{membership}', '\\x01', now())`,
  `provider_links (issuer, subject, membership_id, linked_at) values ('https://idp.example', '1', '{membership}', now())`,
  `second_factors (id, membership_id, sealed, sealing_key_id, recovery_code_sha256s)
   values ('{factor}', '{membership}', '\\x5ea1ed', 'test', array['\\x01'::bytea, '\\x02'])`,
  `security_notices (company_id, kind, subject_id, email, details, count, first_at, last_at)
   values ('{company}', 'owner_added', '{membership}', 'dana@seller.example', '{{"by": "Dana \\"D\\""}}', 1, now(), now())`,
  `notification_recipients (membership_id) values ('{membership}')`,
  `notification_emails (membership_id, event_id) values ('{membership}', '{event}')`,
  `subscriptions (id, company_id, url, description, events, state, schema_version, verified_url_version)
   values ('{subscription}', '{company}', 'https://receiver.test/', E'tab\\tline\\nend\\\\', '{{install.*}}', 'active', 1, 1)`,
  `subscription_secrets (subscription_id, version, sealed, sealing_key_id) values ('{subscription}', 1, '\\x5ea1ed', 'test')`,
  `unannounced_dead_letters (subscription_id, count, first_at, last_at, due_at)
   values ('{subscription}', 0, now(), now(), 'infinity')`,
  `bulk_replays (id, subscription_id, company_id, kind, from_time, to_time, per_minute, state, total, finished_at)
   values ('{replay}', '{subscription}', '{company}', 'replay', now(), now(), 60, 'done', 0, now())`,
  `delivery_statistics (subscription_id, starts_at, delivered, failed, dead_lettered, durations)
   values ('{subscription}', date_bin('5 minutes', now(), 'epoch'), 1, 0, 0, array_fill(0, array[15]))`,
  `sales_records (id, kind, company_id, version, emitted_versions, state)
   values ('{quote}', 'quote', '{company}', 1, '{{[1,2),[4,5)}}', '1')`,
  `unassigned_jobs (company_id, job_id, sequence, unassigned_at) values ('{company}', '{job}', 9007199254740993, now())`,
  `journal_entries (id, company_id, occurred_at, event, data, recorded_at)
   values ('{entry}', '{company}', now(), 'journal.entry', '{{"b": 1,  "a": 2}}', now())`,
  `sent_announcements (id, announcement, company_id, email, claimed_at, operator)
   values ('{announcement}', '2026-11-26', '{company}', 'it@seller.example', now(), 'olga')`,
  `erasures (id, subject, operator, requested_at, finished_at, erased_in)
   values ('{erasure}', jsonb_build_object('companyId', '{company}'::text), 'olga', now(), now(), '7')`,
  `audit_entries (id, company_id, action, subject_type, subject_id, details)
   values ('{audit}', '{company}', 'company.created', 'company', '{company}', '{{"name":  "x"}}')`,
  `deliveries (id, subscription_id, company_id, event_id, event, resource_type, resource_id, number)
   select '{delivery}', '{subscription}', company_id, id, name, resource_type, resource_id, 1 from events
   where company_id = '{company}' limit 1`,
] as const;

/** Gives a company a row in each table that `newCustomer` leaves empty, and its journal to an accounting company. */
export async function fillTables(
  database: Queryable,
  given: { readonly companyId: string; readonly accountingCompanyId: string },
): Promise<FilledTables> {
  const ids = {
    ...{ company: given.companyId, accounting: given.accountingCompanyId, membership: newId('mem') },
    ...{ key: newId('key'), factor: newId('mfa'), event: newId('evt'), subscription: newId('whk') },
    ...{ replay: newId('rpl'), quote: newId('quo'), entry: newId('jrn') },
    ...{ announcement: newId('ann'), erasure: newId('ers'), audit: newId('aud'), delivery: newId('dlv') },
    job: newId('job'),
  };
  for (const statement of STATEMENTS) {
    const text = Object.entries(ids).reduce<string>(
      (sum, [name, id]) => sum.replaceAll(`{${name}}`, id),
      statement,
    );
    await database.query(`insert into ${text.replaceAll('{{', '{').replaceAll('}}', '}')}`);
  }
  return { membershipId: ids.membership, subscriptionId: ids.subscription };
}
