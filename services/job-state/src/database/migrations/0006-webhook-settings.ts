import type { Knex } from 'knex';

/**
 * Adds custom headers and rates of webhooks, which secret is known, and what notifications to owners need.
 *
 * Lock: `subscriptions`, `subscription_secrets` and `api_keys` while their small indexes are built; no row is rewritten. Old code: ignores
 * the columns and tables. It sends no custom headers, keeps no rate, activates a subscription whatever the secret, and counts no dead letters.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- failing_since: when the endpoint was announced as failing, null if it is not. certificate_*: of the certificate that the
    -- endpoint of the current URL presented last. certificate_announced_at: when its end was announced last.
    -- notification_version: the number of notifications about the row, the version of the resource in their events.
    -- header_names: of the custom headers, which are the secret with version 0. deliveries_per_second: the rate that the owner has
    -- chosen; null: none. next_delivery_at: when the next delivery starts if that rate is kept exactly.
    -- secret_shown: false while no one has the current secret. verified_secret_version: of the secret that signed the test that has
    -- verified the URL, the current one if both were accepted; null: recorded by a version that did not know it.
    alter table subscriptions
      add column failing_since timestamptz,
      add column certificate_valid_from timestamptz,
      add column certificate_valid_to timestamptz,
      add column certificate_announced_at timestamptz,
      add column notification_version integer not null default 0,
      add column header_names text[] not null default '{}',
      add column deliveries_per_second integer
        constraint subscriptions_deliveries_per_second_check check (deliveries_per_second > 0),
      add column next_delivery_at timestamptz,
      add column secret_shown boolean not null default true,
      add column verified_secret_version integer;
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
