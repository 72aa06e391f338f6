import type { Knex } from 'knex';

/**
 * Adds what notifications to owners need: what was announced about each webhook, secret and API key, the dead letters that
 * are not yet announced, and the emails that are not yet sent.
 *
 * Lock: `subscriptions`, `subscription_secrets` and `api_keys` while their small indexes are built. Old code: ignores the
 * columns and the table, so it counts no dead letters and stores no certificates.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- failing_since: when the endpoint was announced as failing, null if it is not. certificate_*: of the certificate that the
    -- endpoint of the current URL presented last. certificate_announced_at: when its end was announced last.
    -- notification_version: the number of notifications about the row, the version of the resource in their events.
    alter table subscriptions
      add column failing_since timestamptz,
      add column certificate_valid_from timestamptz,
      add column certificate_valid_to timestamptz,
      add column certificate_announced_at timestamptz,
      add column notification_version integer not null default 0;
    create index subscriptions_failing_since_idx on subscriptions (failing_since) where failing_since is not null;
    create index subscriptions_certificate_idx on subscriptions (certificate_valid_to)
      where certificate_valid_to is not null and deleted_at is null;

    -- end_announced_at: when the end was announced last.
    alter table subscription_secrets add column end_announced_at timestamptz;
    alter table api_keys
      add column end_announced_at timestamptz,
      add column notification_version integer not null default 0;
    create index api_keys_expires_at_idx on api_keys (expires_at) where expires_at is not null and revoked_at is null;

    -- Dead letters of each webhook since the last announcement, without those of tests and notifications. due_at: no
    -- announcement before.
    create table unannounced_dead_letters (
      subscription_id text constraint unannounced_dead_letters_pkey primary key
        constraint unannounced_dead_letters_subscription_id_fkey references subscriptions on delete cascade,
      count integer not null,
      first_at timestamptz not null,
      last_at timestamptz not null,
      due_at timestamptz not null
    );
    create index unannounced_dead_letters_due_at_idx on unannounced_dead_letters (due_at) where count > 0;

    -- Owners who were notified or have chosen how often they get emails. mailed_at: the last email. lease_id: of the email that
    -- the console sends now. not_before: end of that lease, or of the pause after a failure.
    create table notification_recipients (
      membership_id text constraint notification_recipients_pkey primary key
        constraint notification_recipients_membership_id_fkey references memberships on delete cascade,
      emails text not null default 'immediately'
        constraint notification_recipients_emails_check check (emails in ('immediately', 'daily', 'off')),
      mailed_at timestamptz,
      lease_id text,
      not_before timestamptz
    );

    -- Notifications that wait for the next email to an owner. lease_id: of the email that has it.
    create table notification_emails (
      membership_id text not null
        constraint notification_emails_membership_id_fkey references memberships on delete cascade,
      event_id text collate "C" not null,
      lease_id text,
      created_at timestamptz not null default now(),
      constraint notification_emails_pkey primary key (membership_id, event_id)
    );
  `);
}

/** Drops what was announced, and the emails to send; no event is lost, and pending dead letters are not announced. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table notification_emails;
    drop table notification_recipients;
    drop table unannounced_dead_letters;
    drop index api_keys_expires_at_idx;
    alter table api_keys drop column end_announced_at, drop column notification_version;
    alter table subscription_secrets drop column end_announced_at;
    alter table subscriptions
      drop column failing_since, drop column certificate_valid_from, drop column certificate_valid_to,
      drop column certificate_announced_at, drop column notification_version;
  `);
}
