import type { Knex } from 'knex';

/**
 * Creates the tables of the first release.
 *
 * Lock: no contention, all tables are new. Old code: none.
 *
 * Conventions: ids are text (TypeID), instants are timestamptz, and values shown to partners are stored as the text that is
 * sent.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table companies (
      id text constraint companies_pkey primary key,
      name text not null,
      -- Version of the platform's newest message about the company; 0: created by another source.
      version integer not null default 0,
      class text not null constraint companies_class_check check (class in ('SALES', 'INSTALLER', 'ACCOUNTING')),
      installer_requests_per_minute integer
        constraint companies_installer_requests_per_minute_check check (installer_requests_per_minute >= 1),
      delivery_weight integer not null default 1
        constraint companies_delivery_weight_check check (delivery_weight between 1 and 100),
      created_at timestamptz not null default now()
    );

    -- The accounting companies that receive a company's financial journal from effective_from on, in ascending order. revision: 0
    -- is the platform's message of this version, the later ones are an operator's changes. At any instant, the newest row by
    -- version and revision of those in effect counts.
    create table accounting_links (
      company_id text not null constraint accounting_links_company_id_fkey references companies,
      version integer not null default 0,
      revision integer not null default 0,
      effective_from timestamptz not null default '-infinity',
      accounting_company_ids text[] not null,
      constraint accounting_links_pkey primary key (company_id, version, revision)
    );

    -- Recent journal entries with their event and its data, for changes of accounting links that arrive after them.
    create table journal_entries (
      id text constraint journal_entries_pkey primary key,
      company_id text not null constraint journal_entries_company_id_fkey references companies,
      occurred_at timestamptz not null,
      event text not null,
      data json not null,
      recorded_at timestamptz not null
    );
    create index journal_entries_company_id_idx on journal_entries (company_id, occurred_at);
    create index journal_entries_recorded_at_idx on journal_entries (recorded_at);

    -- password_hash: null until one is set; the owner cannot sign in before. version: as for companies.
    create table memberships (
      id text constraint memberships_pkey primary key,
      version integer not null default 0,
      company_id text not null constraint memberships_company_id_fkey references companies,
      role text not null constraint memberships_role_check check (role in ('OWNER', 'TECHNICIAN')),
      display_name text not null,
      email text,
      password_hash text,
      active boolean not null default true,
      created_at timestamptz not null default now(),
      constraint memberships_login_check check (password_hash is null or email is not null or role = 'OWNER')
    );
    create unique index memberships_email_key on memberships (lower(email));
    create index memberships_company_id_idx on memberships (company_id);

    -- faults: in the sandbox only, the injected faults for the key's requests, and the id of this fault script.
    create table api_keys (
      id text constraint api_keys_pkey primary key,
      company_id text not null constraint api_keys_company_id_fkey references companies,
      kind text not null
        constraint api_keys_kind_check check (kind in ('general', 'installer-contractor', 'installer-company')),
      bound_company_id text constraint api_keys_bound_company_id_fkey references companies,
      secret_sha256 bytea not null,
      last_four text not null,
      description text,
      created_at timestamptz not null default now(),
      last_used_at timestamptz,
      expires_at timestamptz,
      revoked_at timestamptz,
      replaced_by text constraint api_keys_replaced_by_fkey references api_keys,
      faults jsonb,
      constraint api_keys_bound_check check ((kind = 'installer-contractor') = (bound_company_id is not null))
    );
    create index api_keys_company_id_idx on api_keys (company_id, id);

    -- Installer companies that a selling company's keys can be bound to: its jobs are or were assigned to them, or an operator has
    -- bound a key to them.
    create table contracted_installers (
      selling_company_id text not null constraint contracted_installers_selling_company_id_fkey references companies,
      installer_company_id text not null constraint contracted_installers_installer_company_id_fkey references companies,
      constraint contracted_installers_pkey primary key (selling_company_id, installer_company_id)
    );

    -- The address for announcements of new versions. email: null until an address is confirmed. A pending address waits for its
    -- mailed link; only the SHA-256 of the link's token is stored.
    create table technical_contacts (
      company_id text constraint technical_contacts_pkey primary key
        constraint technical_contacts_company_id_fkey references companies,
      email text,
      confirmed_at timestamptz,
      pending_email text,
      pending_token_sha256 bytea constraint technical_contacts_pending_token_sha256_key unique,
      pending_expires_at timestamptz,
      constraint technical_contacts_confirmed_check check ((email is null) = (confirmed_at is null)),
      constraint technical_contacts_pending_check check (
        (pending_email is null) = (pending_token_sha256 is null) and (pending_email is null) = (pending_expires_at is null)
      )
    );

    -- Changelog entries sent to technical contacts. announcement: the date of the entry. sent_at: null while a run has claimed it.
    create table sent_announcements (
      id text collate "C" constraint sent_announcements_pkey primary key,
      announcement text not null,
      company_id text not null constraint sent_announcements_company_id_fkey references companies,
      email text not null,
      claimed_at timestamptz not null,
      sent_at timestamptz,
      operator text not null
    );
    create unique index sent_announcements_once_key on sent_announcements (announcement, company_id, lower(email));

    -- A company's audit trail, written in the transaction of the change. membership_id: null without a signed-in person.
    -- Partitioned by the time in its id, which is the time of the change. details: a JSON object whose fields are never queried;
    -- it never holds a secret.
    create table audit_entries (
      id text collate "C" constraint audit_entries_pkey primary key,
      company_id text not null,
      action text not null,
      subject_type text not null,
      subject_id text not null,
      membership_id text,
      display_name text,
      remote_address text,
      user_agent text,
      request_id text,
      details json not null
    ) partition by range (id);
    create table audit_entries_default partition of audit_entries default;
    create index audit_entries_company_id_idx on audit_entries (company_id, id);
    create index audit_entries_action_idx on audit_entries (company_id, action, id);

    create table leads (
      id text constraint leads_pkey primary key,
      company_id text not null constraint leads_company_id_fkey references companies,
      full_name text not null,
      email text not null,
      phone text not null,
      address text not null,
      sms_consent boolean,
      created_at timestamptz not null default now()
    );

    -- The unique constraint makes two concurrent posts of one address one lead. address_key: null for a project that the platform
    -- created without an address, or at the address of another project of the company; no lead merges into it.
    create table projects (
      id text constraint projects_pkey primary key,
      company_id text not null constraint projects_company_id_fkey references companies,
      lead_id text constraint projects_lead_id_fkey references leads deferrable initially deferred,
      address_key text,
      created_at timestamptz not null default now(),
      constraint projects_address_key_key unique (company_id, address_key)
    );

    create table lead_submissions (
      id bigint generated always as identity constraint lead_submissions_pkey primary key,
      lead_id text not null constraint lead_submissions_lead_id_fkey references leads,
      full_name text not null,
      email text not null,
      phone text not null,
      address text not null,
      sms_consent boolean,
      submitted_at timestamptz not null default now()
    );
    create index lead_submissions_lead_id_idx on lead_submissions (lead_id);

    -- version: newest version of the row; notes_version: of its notes, which a later version may omit. emitted_versions: versions
    -- with an event, so that each version emits one event, also a late one.
    create table appointments (
      id text constraint appointments_pkey primary key,
      company_id text not null constraint appointments_company_id_fkey references companies,
      lead_id text not null constraint appointments_lead_id_fkey references leads,
      project_id text constraint appointments_project_id_fkey references projects,
      starts_at timestamptz not null,
      ends_at timestamptz not null,
      notes text,
      notes_version integer not null default 1,
      version integer not null default 1 constraint appointments_version_check check (version >= 1),
      emitted_versions int8multirange not null default '{[1,1]}',
      created_at timestamptz not null default now(),
      constraint appointments_ends_at_check check (ends_at > starts_at)
    );

    -- Projects, quotes, deposits, invoices, rebates and journal entries that the platform has published. emitted_versions:
    -- versions with an event, so that each version emits one event, also a late one. state: of the newest version. Amounts and
    -- names are stored in the events only.
    create table sales_records (
      id text constraint sales_records_pkey primary key,
      kind text not null
        constraint sales_records_kind_check check (kind in
          ('project', 'quote', 'deposit', 'invoice', 'rebate', 'journal_entry')),
      company_id text not null constraint sales_records_company_id_fkey references companies,
      project_id text constraint sales_records_project_id_fkey references projects,
      version integer not null constraint sales_records_version_check check (version >= 1),
      emitted_versions int8multirange not null,
      state text not null
    );

    -- projection: the installer-safe JSON text as it is served, null before the first assignment; rewritten with each
    -- change of version. assigned_at: when, on the platform, the assignment in effect was made. blocker_code: the
    -- installer's, while the status is BLOCKED; readiness_*: the selling side's. The projection shows both together. platform_state: the
    -- platform's messages about the job, by field, with their versions; its fields are never queried.
    create table jobs (
      id text constraint jobs_pkey primary key,
      selling_company_id text not null constraint jobs_selling_company_id_fkey references companies,
      installer_company_id text constraint jobs_installer_company_id_fkey references companies,
      project_id text constraint jobs_project_id_fkey references projects,
      work_order_no text,
      version integer not null constraint jobs_version_check check (version >= 1),
      status text not null
        constraint jobs_status_check check (status in
          ('ASSIGNED', 'ACKNOWLEDGED', 'EN_ROUTE', 'ON_SITE', 'BLOCKED', 'IN_PROGRESS', 'COMPLETE', 'CANCELLED')),
      blocker_code text,
      assigned_at timestamptz,
      customer jsonb not null,
      scope jsonb not null,
      schedule_status text not null default 'UNSCHEDULED'
        constraint jobs_schedule_status_check check (schedule_status in
          ('UNSCHEDULED', 'TENTATIVE', 'CONFIRMED', 'CANCELLED')),
      schedule_starts_at timestamptz,
      schedule_ends_at timestamptz,
      schedule_time_zone text,
      readiness_ready boolean not null default true,
      readiness_blocker_codes text[] not null default '{}',
      documents jsonb not null default '[]',
      technician_assignments jsonb not null default '[]',
      platform_state jsonb not null default '{}',
      installer_note text,
      projection text,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      last_updated_at timestamptz not null,
      constraint jobs_assigned_check
        check ((installer_company_id is null) = (assigned_at is null) and (assigned_at is null) = (projection is null)),
      constraint jobs_blocker_code_check check ((status = 'BLOCKED') = (blocker_code is not null))
    );
    create index jobs_installer_company_id_idx on jobs (installer_company_id, id);
    create index jobs_contractor_idx on jobs (selling_company_id, installer_company_id, last_updated_at desc, id desc);
    create index jobs_work_order_no_idx on jobs (work_order_no) where work_order_no is not null;

    -- The history of a job's status. company_id: the company that reported the change.
    create table job_status_events (
      job_id text not null constraint job_status_events_job_id_fkey references jobs,
      version integer not null,
      company_id text not null,
      previous_status text not null,
      status text not null,
      occurred_at timestamptz not null,
      note text,
      blocker_code text,
      recorded_at timestamptz not null,
      constraint job_status_events_pkey primary key (job_id, version)
    );

    -- last: the newest sequence of a company's feed. A transaction updates it last and holds the row lock until the commit, so
    -- sequences follow the order of commits, without gaps. purged_through: the greatest sequence that was dropped for its age; a
    -- cursor before it would miss entries and is refused.
    create table feed_heads (
      company_id text constraint feed_heads_pkey primary key constraint feed_heads_company_id_fkey references companies,
      last bigint not null default 0,
      purged_through bigint not null default 0
    );

    create table feed_entries (
      company_id text not null,
      sequence bigint not null,
      job_id text not null,
      changed_at timestamptz not null,
      resource text not null,
      constraint feed_entries_pkey primary key (company_id, sequence, changed_at)
    ) partition by range (changed_at);
    create table feed_entries_default partition of feed_entries default;
    create index feed_entries_job_id_idx on feed_entries (company_id, job_id);

    -- A key of a company has at most one row that has not expired. No constraint can enforce that across partitions, so each read
    -- and insert of a key holds the key's advisory lock until the commit.
    create table idempotency_keys (
      company_id text not null,
      key text not null,
      operation text not null,
      body_sha256 bytea not null,
      outcome text not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      constraint idempotency_keys_pkey primary key (company_id, key, expires_at)
    ) partition by range (expires_at);
    create table idempotency_keys_default partition of idempotency_keys default;

    -- Message ids of the platform. settled_at: null while a message has had no effect. A message that arrives before its
    -- prerequisite waits here: prerequisite_id is the id of the missing resource, or of the membership that has the requested
    -- email address. An expired or refused one has a dead_reason until the broker has confirmed it in the dead-letter queue.
    -- resource_id, resource_version, type, body, trace_parent: only for waiting and dead messages. last_attempt_at: the last
    -- failed attempt to record it with this prerequisite.
    create table inbox (
      message_id text constraint inbox_pkey primary key,
      received_at timestamptz not null,
      settled_at timestamptz,
      prerequisite_id text,
      last_attempt_at timestamptz,
      dead_reason text,
      resource_id text,
      resource_version integer,
      type text,
      body bytea,
      trace_parent text,
      constraint inbox_stored_message_check check (
        num_nonnulls(settled_at, prerequisite_id, dead_reason) <= 1
        and num_nonnulls(resource_id, resource_version, type, body) = 4 * num_nonnulls(prerequisite_id, dead_reason)
        and (last_attempt_at is null or prerequisite_id is not null)
      )
    );
    create index inbox_received_at_idx on inbox (received_at);
    create index inbox_prerequisite_id_idx on inbox (prerequisite_id) where prerequisite_id is not null;
    create index inbox_resource_id_idx on inbox (resource_id) where prerequisite_id is not null;
    create index inbox_waiting_idx on inbox (received_at) where prerequisite_id is not null;
    create index inbox_dead_reason_idx on inbox (received_at) where dead_reason is not null;

    -- Messages to the platform and to the gateways that the broker has not confirmed yet.
    create table outbox (
      id bigint generated always as identity,
      message_id text not null,
      exchange text not null,
      type text not null,
      body bytea not null,
      trace_parent text,
      request_id text,
      created_at timestamptz not null default now(),
      constraint outbox_pkey primary key (id, created_at)
    ) partition by range (created_at);
    create table outbox_default partition of outbox default;
    create index outbox_exchange_idx on outbox (exchange, id);

    -- paused_at: start of the pause, null while it is active. failures_in_row: failed attempts since the last delivered one; the
    -- scheduler identifies failing endpoints by it. A deleted subscription stays as long as its deliveries are kept.
    create table subscriptions (
      id text constraint subscriptions_pkey primary key,
      company_id text not null constraint subscriptions_company_id_fkey references companies,
      url text not null,
      url_version integer not null default 1,
      verified_url_version integer,
      description text not null default '',
      events text[] not null,
      schema_version integer not null,
      state text not null default 'paused'
        constraint subscriptions_state_check check (state in ('paused', 'active')),
      health text not null default 'healthy'
        constraint subscriptions_health_check check (health in ('healthy', 'degraded')),
      secret_version integer not null default 1,
      pending_secret_version integer,
      failures_in_row integer not null default 0,
      paused_at timestamptz,
      deleted_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      constraint subscriptions_paused_at_check check ((state = 'paused') = (paused_at is not null))
    );
    -- Each event reads the current ones; deleted ones can be far more numerous.
    create index subscriptions_company_id_idx on subscriptions (company_id, id) where deleted_at is null;
    create index subscriptions_deleted_idx on subscriptions (company_id, id) where deleted_at is not null;
    create index subscriptions_failing_idx on subscriptions (failures_in_row) where failures_in_row > 0;

    -- sealed: AES-256-GCM with subscription id and version as associated data; never the plain secret. expires_at: when a former
    -- version is dropped.
    create table subscription_secrets (
      subscription_id text not null
        constraint subscription_secrets_subscription_id_fkey references subscriptions on delete cascade,
      version integer not null,
      sealed bytea not null,
      sealing_key_id text not null,
      expires_at timestamptz,
      created_at timestamptz not null default now(),
      constraint subscription_secrets_pkey primary key (subscription_id, version)
    );
    create index subscription_secrets_sealing_key_id_idx on subscription_secrets (sealing_key_id);
    create index subscription_secrets_expires_at_idx on subscription_secrets (expires_at) where expires_at is not null;

    -- One event of one company. body: the envelope, rendered once; never jsonb, which would reorder the signed bytes.
    -- not_queued: why subscriptions of the company got no delivery, by subscription id; null if each got one.
    -- Partitioned by the time in its id. The default partition holds rows outside of the existing partitions.
    create table events (
      id text collate "C" constraint events_pkey primary key,
      company_id text not null,
      name text not null,
      schema_version integer not null,
      occurred_at timestamptz not null,
      resource_type text not null,
      resource_id text not null,
      resource_version integer not null,
      body bytea not null,
      trace_parent text,
      request_id text,
      not_queued jsonb,
      created_at timestamptz not null default now()
    ) partition by range (id);
    create table events_default partition of events default;
    create index events_company_id_idx on events (company_id, id);
    create index events_resource_id_idx on events (company_id, resource_id, id);

    -- Unfinished deliveries. A row is due when it is pending or retry_scheduled, has no lease, and next_attempt_at has passed.
    -- Claiming it sets lease_id and moves next_attempt_at to the lease's end, so that a lost attempt is due again automatically.
    -- A finished delivery moves to finished_deliveries.
    -- replay_of: the delivery that this one repeats. bulk_replay_id: the bulk replay or back-fill that queued it.
    -- secret_version: the version that a test signs with; null: the subscription's current one. not_before: under a lease, the
    -- earliest next attempt after a failure under a former lease.
    create table deliveries (
      id text collate "C" constraint deliveries_pkey primary key,
      subscription_id text not null,
      company_id text not null,
      event_id text collate "C" not null,
      event text not null,
      resource_type text not null,
      resource_id text not null,
      is_test boolean not null default false,
      secret_version integer,
      replay_of text collate "C",
      bulk_replay_id text,
      state text not null default 'pending'
        constraint deliveries_state_check check (state in ('pending', 'retry_scheduled', 'held')),
      attempts integer not null default 0,
      next_attempt_at timestamptz not null default now(),
      lease_id text,
      not_before timestamptz,
      created_at timestamptz not null default now()
    );
    -- The scheduler scans first attempts and retries separately, per subscription. These indexes hold waiting rows only.
    create index deliveries_first_idx on deliveries (subscription_id, next_attempt_at)
      where state = 'pending' and lease_id is null;
    create index deliveries_retry_idx on deliveries (subscription_id, next_attempt_at)
      where state = 'retry_scheduled' and lease_id is null;
    create index deliveries_leased_idx on deliveries (next_attempt_at, subscription_id, company_id) where lease_id is not null;
    create index deliveries_held_idx on deliveries (subscription_id, id) where state = 'held';
    create index deliveries_subscription_id_idx on deliveries (subscription_id, id);
    create index deliveries_company_id_idx on deliveries (company_id, id);
    create index deliveries_event_id_idx on deliveries (event_id);
    create index deliveries_tests_idx on deliveries (company_id, created_at) where is_test;
    create index deliveries_bulk_replay_id_idx on deliveries (bulk_replay_id) where bulk_replay_id is not null;

    -- Finished deliveries, partitioned by the time in their ids.
    create table finished_deliveries (
      id text collate "C" constraint finished_deliveries_pkey primary key,
      subscription_id text not null,
      company_id text not null,
      event_id text collate "C" not null,
      event text not null,
      resource_type text not null,
      resource_id text not null,
      is_test boolean not null,
      secret_version integer,
      replay_of text collate "C",
      bulk_replay_id text,
      state text not null
        constraint finished_deliveries_state_check check (state in ('delivered', 'dead_lettered', 'cancelled')),
      attempts integer not null,
      created_at timestamptz not null,
      finished_at timestamptz not null
    ) partition by range (id);
    create table finished_deliveries_default partition of finished_deliveries default;
    create index finished_deliveries_subscription_id_idx on finished_deliveries (subscription_id, id);
    create index finished_deliveries_company_id_idx on finished_deliveries (company_id, id);
    -- Most deliveries are delivered: the indexes by state leave these out.
    create index finished_deliveries_subscription_state_idx on finished_deliveries (subscription_id, state, id)
      where state <> 'delivered';
    create index finished_deliveries_company_state_idx on finished_deliveries (company_id, state, id)
      where state <> 'delivered';
    create index finished_deliveries_event_id_idx on finished_deliveries (event_id);
    create index finished_deliveries_tests_idx on finished_deliveries (company_id, created_at) where is_test;
    create index finished_deliveries_finished_at_idx on finished_deliveries using brin (finished_at);

    create view all_deliveries as
      select id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test, replay_of, bulk_replay_id,
        state, attempts, next_attempt_at, lease_id, created_at, null::timestamptz as finished_at
      from deliveries
      union all
      select id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test, replay_of, bulk_replay_id,
        state, attempts, null::timestamptz, null::text, created_at, finished_at
      from finished_deliveries;

    -- exchange: the steps of DNS, connection and TLS as JSON; its fields are never queried. Partitioned by the time in the
    -- delivery's id, so that one partition holds all attempts of a delivery.
    create table delivery_attempts (
      delivery_id text collate "C" not null,
      id text collate "C" not null,
      number integer not null,
      started_at timestamptz not null,
      duration_ms integer not null,
      outcome text not null
        constraint delivery_attempts_outcome_check check (outcome in
          ('delivered', 'rejected', 'timed_out', 'tls_failed', 'connection_failed', 'endpoint_refused')),
      response_status integer,
      response_body bytea,
      error text,
      remote_address text,
      secret_version integer not null,
      exchange json,
      recorded_at timestamptz not null default now(),
      constraint delivery_attempts_pkey primary key (delivery_id, id)
    ) partition by range (delivery_id);
    create table delivery_attempts_default partition of delivery_attempts default;
    create index delivery_attempts_id_idx on delivery_attempts (id);
    create index delivery_attempts_recorded_at_idx on delivery_attempts using brin (recorded_at);

    -- Counts of attempts to one subscription that began within the same five minutes. dead_lettered: deliveries that one of them
    -- dead-lettered. durations: a histogram with the bounds DURATION_BOUNDS_MS of the code; after a change of the bounds the table
    -- must be emptied. Rows are small and no index covers a changing column, so updates are heap-only (HOT).
    create table delivery_statistics (
      subscription_id text not null,
      starts_at timestamptz not null,
      delivered integer not null,
      failed integer not null,
      dead_lettered integer not null,
      durations integer[] not null constraint delivery_statistics_durations_check check (cardinality(durations) = 15),
      constraint delivery_statistics_pkey primary key (subscription_id, starts_at)
    ) partition by range (starts_at);
    create table delivery_statistics_default partition of delivery_statistics default;

    -- Bulk replays of a subscription's finished deliveries (replay), and of events that it missed while paused (backfill).
    -- after_id: the last delivery or event that a step has passed.
    create table bulk_replays (
      id text constraint bulk_replays_pkey primary key,
      subscription_id text not null
        constraint bulk_replays_subscription_id_fkey references subscriptions on delete cascade,
      company_id text not null,
      kind text not null constraint bulk_replays_kind_check check (kind in ('replay', 'backfill')),
      delivery_states text[],
      event text,
      from_time timestamptz not null,
      to_time timestamptz not null,
      per_minute integer not null constraint bulk_replays_per_minute_check check (per_minute between 1 and 60000),
      state text not null default 'running'
        constraint bulk_replays_state_check check (state in ('running', 'done', 'cancelled')),
      total integer not null,
      -- True: total is a lower bound, because counting stopped early.
      total_is_at_least boolean not null default false,
      queued integer not null default 0,
      after_id text collate "C" not null default '',
      next_run_at timestamptz not null default now(),
      created_at timestamptz not null default now(),
      finished_at timestamptz
    );
    create index bulk_replays_subscription_id_idx on bulk_replays (subscription_id, id);
    -- At most one of a kind runs at a time.
    create unique index bulk_replays_running_key on bulk_replays (subscription_id, kind) where state = 'running';
    create index bulk_replays_next_run_at_idx on bulk_replays (next_run_at) where state = 'running';

    -- job-state's user may only change rows. These functions run with the rights of the schema's owner, and only on partitions
    -- named <table>_p<yyyymmdd>. Locks: those of their statements.
    create function check_partition(parent text, partition text) returns void language plpgsql set search_path = pg_catalog as $$
    begin
      if not exists (select from pg_class where oid = to_regclass(format('public.%I', parent)) and relkind = 'p')
        or partition !~ ('^' || parent || '_p[0-9]{8}$')
      then raise exception '% is no partition of %', partition, parent; end if;
    end $$;
    create function create_partition(parent text, partition text) returns void
      language plpgsql security definer set search_path = pg_catalog as $$
    begin
      perform public.check_partition(parent, partition);
      -- A separate number would be in the way of the number that the whole table has.
      execute format('create table public.%I (like public.%I including all excluding identity)', partition, parent);
    end $$;
    create function attach_partition(parent text, partition text, lower_bound text, upper_bound text) returns void
      language plpgsql security definer set search_path = pg_catalog as $$
    begin
      perform public.check_partition(parent, partition);
      execute format('alter table public.%I attach partition public.%I for values from (%L) to (%L)',
        parent, partition, lower_bound, upper_bound);
    end $$;
    create function drop_partition(parent text, partition text) returns void
      language plpgsql security definer set search_path = pg_catalog as $$
    begin
      perform public.check_partition(parent, partition);
      execute format('drop table public.%I', partition);
    end $$;
    revoke execute on function create_partition, attach_partition, drop_partition from public;
  `);
}

/** Drops everything: only for tests of the migration itself. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function create_partition, attach_partition, drop_partition, check_partition;
    drop view all_deliveries;
    drop table bulk_replays, delivery_statistics, delivery_attempts, finished_deliveries, deliveries, events, subscription_secrets, subscriptions, outbox, inbox, idempotency_keys,
      feed_entries, feed_heads, job_status_events, jobs, sales_records, appointments, lead_submissions, projects, leads, audit_entries,
      contracted_installers, api_keys, memberships, journal_entries, accounting_links, companies
  `);
}
