CREATE FUNCTION public.attach_partition(parent text, partition text, lower_bound text, upper_bound text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog'
    AS $$
    begin
      perform public.check_partition(parent, partition);
      execute format('alter table public.%I attach partition public.%I for values from (%L) to (%L)',
        parent, partition, lower_bound, upper_bound);
    end $$;

CREATE FUNCTION public.check_partition(parent text, partition text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog'
    AS $_$
    begin
      if not exists (select from pg_class where oid = to_regclass(format('public.%I', parent)) and relkind = 'p')
        or partition !~ ('^' || parent || '_p[0-9]{8}$')
      then raise exception '% is no partition of %', partition, parent; end if;
    end $_$;

CREATE FUNCTION public.create_partition(parent text, partition text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog'
    AS $$
    begin
      perform public.check_partition(parent, partition);
      -- A separate number would be in the way of the number that the whole table has.
      execute format('create table public.%I (like public.%I including all excluding identity)', partition, parent);
    end $$;

CREATE FUNCTION public.drop_partition(parent text, partition text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog'
    AS $$
    begin
      perform public.check_partition(parent, partition);
      execute format('drop table public.%I', partition);
    end $$;

CREATE FUNCTION public.number_event() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    begin
      insert into public.event_heads as head (company_id, last) values (new.company_id, 1)
      on conflict (company_id) do update set last = head.last + 1
      returning last into new.sequence;
      return new;
    end $$;

CREATE TABLE public.accounting_links (
    company_id text NOT NULL,
    version integer DEFAULT 0 NOT NULL,
    revision integer DEFAULT 0 NOT NULL,
    effective_from timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    accounting_company_ids text[] NOT NULL
);

CREATE TABLE public.deliveries (
    id text NOT NULL COLLATE pg_catalog."C",
    subscription_id text NOT NULL,
    company_id text NOT NULL,
    event_id text NOT NULL COLLATE pg_catalog."C",
    event text NOT NULL,
    resource_type text NOT NULL,
    resource_id text NOT NULL,
    is_test boolean DEFAULT false NOT NULL,
    secret_version integer,
    replay_of text COLLATE pg_catalog."C",
    bulk_replay_id text,
    state text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone DEFAULT now() NOT NULL,
    lease_id text,
    not_before timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    overdue_since timestamp with time zone,
    wrong_secret bytea,
    number bigint,
    test_url text,
    test_headers bytea,
    CONSTRAINT deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'retry_scheduled'::text, 'held'::text])))
);

CREATE TABLE public.finished_deliveries (
    id text NOT NULL COLLATE pg_catalog."C",
    subscription_id text NOT NULL,
    company_id text NOT NULL,
    event_id text NOT NULL COLLATE pg_catalog."C",
    event text NOT NULL,
    resource_type text NOT NULL,
    resource_id text NOT NULL,
    is_test boolean NOT NULL,
    secret_version integer,
    replay_of text COLLATE pg_catalog."C",
    bulk_replay_id text,
    state text NOT NULL,
    attempts integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone NOT NULL,
    wrong_secret bytea,
    number bigint,
    test_url text,
    CONSTRAINT finished_deliveries_state_check CHECK ((state = ANY (ARRAY['delivered'::text, 'dead_lettered'::text, 'cancelled'::text])))
)
PARTITION BY RANGE (id);

CREATE VIEW public.all_deliveries AS
 SELECT deliveries.id,
    deliveries.subscription_id,
    deliveries.company_id,
    deliveries.event_id,
    deliveries.event,
    deliveries.resource_type,
    deliveries.resource_id,
    deliveries.is_test,
    deliveries.replay_of,
    deliveries.bulk_replay_id,
    deliveries.state,
    deliveries.attempts,
    deliveries.next_attempt_at,
    deliveries.lease_id,
    deliveries.created_at,
    NULL::timestamp with time zone AS finished_at,
    deliveries.wrong_secret,
    deliveries.number,
    deliveries.test_url
   FROM public.deliveries
UNION ALL
 SELECT finished_deliveries.id,
    finished_deliveries.subscription_id,
    finished_deliveries.company_id,
    finished_deliveries.event_id,
    finished_deliveries.event,
    finished_deliveries.resource_type,
    finished_deliveries.resource_id,
    finished_deliveries.is_test,
    finished_deliveries.replay_of,
    finished_deliveries.bulk_replay_id,
    finished_deliveries.state,
    finished_deliveries.attempts,
    NULL::timestamp with time zone AS next_attempt_at,
    NULL::text AS lease_id,
    finished_deliveries.created_at,
    finished_deliveries.finished_at,
    finished_deliveries.wrong_secret,
    finished_deliveries.number,
    finished_deliveries.test_url
   FROM public.finished_deliveries;

CREATE TABLE public.api_keys (
    id text NOT NULL,
    company_id text NOT NULL,
    kind text NOT NULL,
    bound_company_id text,
    secret_sha256 bytea NOT NULL,
    last_four text NOT NULL,
    description text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp with time zone,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    replaced_by text,
    faults jsonb,
    end_announced_at timestamp with time zone,
    notification_version integer DEFAULT 0 NOT NULL,
    CONSTRAINT api_keys_bound_check CHECK (((kind = 'installer-contractor'::text) = (bound_company_id IS NOT NULL))),
    CONSTRAINT api_keys_kind_check CHECK ((kind = ANY (ARRAY['general'::text, 'installer-contractor'::text, 'installer-company'::text])))
);

CREATE TABLE public.appointments (
    id text NOT NULL,
    company_id text NOT NULL,
    lead_id text NOT NULL,
    project_id text,
    starts_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    notes text,
    notes_version integer DEFAULT 1 NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    emitted_versions int8multirange DEFAULT '{[1,2)}'::int8multirange NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT appointments_ends_at_check CHECK ((ends_at > starts_at)),
    CONSTRAINT appointments_version_check CHECK ((version >= 1))
);

CREATE TABLE public.audit_entries (
    id text NOT NULL COLLATE pg_catalog."C",
    company_id text NOT NULL,
    action text NOT NULL,
    subject_type text NOT NULL,
    subject_id text NOT NULL,
    membership_id text,
    display_name text,
    remote_address text,
    user_agent text,
    request_id text,
    details json NOT NULL
)
PARTITION BY RANGE (id);

CREATE TABLE public.audit_entries_default (
    id text NOT NULL COLLATE pg_catalog."C",
    company_id text NOT NULL,
    action text NOT NULL,
    subject_type text NOT NULL,
    subject_id text NOT NULL,
    membership_id text,
    display_name text,
    remote_address text,
    user_agent text,
    request_id text,
    details json NOT NULL
);

CREATE TABLE public.bulk_replays (
    id text NOT NULL,
    subscription_id text NOT NULL,
    company_id text NOT NULL,
    kind text NOT NULL,
    delivery_states text[],
    event text,
    from_time timestamp with time zone NOT NULL,
    to_time timestamp with time zone NOT NULL,
    per_minute integer NOT NULL,
    state text DEFAULT 'running'::text NOT NULL,
    total integer NOT NULL,
    total_is_at_least boolean DEFAULT false NOT NULL,
    queued integer DEFAULT 0 NOT NULL,
    after_id text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    next_run_at timestamp with time zone DEFAULT now() NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    first_sequence bigint,
    last_sequence bigint,
    event_ids text[],
    next_step_at timestamp with time zone,
    CONSTRAINT bulk_replays_kind_check CHECK ((kind = ANY (ARRAY['replay'::text, 'backfill'::text, 'events'::text]))),
    CONSTRAINT bulk_replays_per_minute_check CHECK (((per_minute >= 1) AND (per_minute <= 60000))),
    CONSTRAINT bulk_replays_state_check CHECK ((state = ANY (ARRAY['running'::text, 'done'::text, 'cancelled'::text])))
);

CREATE TABLE public.companies (
    id text NOT NULL,
    name text NOT NULL,
    version integer DEFAULT 0 NOT NULL,
    class text NOT NULL,
    installer_requests_per_minute integer,
    delivery_weight integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT companies_class_check CHECK ((class = ANY (ARRAY['SALES'::text, 'INSTALLER'::text, 'ACCOUNTING'::text]))),
    CONSTRAINT companies_delivery_weight_check CHECK (((delivery_weight >= 1) AND (delivery_weight <= 100))),
    CONSTRAINT companies_installer_requests_per_minute_check CHECK ((installer_requests_per_minute >= 1))
);

CREATE TABLE public.contracted_installers (
    selling_company_id text NOT NULL,
    installer_company_id text NOT NULL
);

CREATE TABLE public.delivery_attempts (
    delivery_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    number integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    duration_ms integer NOT NULL,
    outcome text NOT NULL,
    response_status integer,
    response_body bytea,
    error text,
    remote_address text,
    secret_version integer NOT NULL,
    exchange json,
    recorded_at timestamp with time zone DEFAULT now() NOT NULL,
    response_headers json,
    CONSTRAINT delivery_attempts_outcome_check CHECK ((outcome = ANY (ARRAY['delivered'::text, 'rejected'::text, 'timed_out'::text, 'tls_failed'::text, 'connection_failed'::text, 'endpoint_refused'::text])))
)
PARTITION BY RANGE (delivery_id);

CREATE TABLE public.delivery_attempts_default (
    delivery_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    number integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    duration_ms integer NOT NULL,
    outcome text NOT NULL,
    response_status integer,
    response_body bytea,
    error text,
    remote_address text,
    secret_version integer NOT NULL,
    exchange json,
    recorded_at timestamp with time zone DEFAULT now() NOT NULL,
    response_headers json,
    CONSTRAINT delivery_attempts_outcome_check CHECK ((outcome = ANY (ARRAY['delivered'::text, 'rejected'::text, 'timed_out'::text, 'tls_failed'::text, 'connection_failed'::text, 'endpoint_refused'::text])))
);

CREATE TABLE public.delivery_statistics (
    subscription_id text NOT NULL,
    starts_at timestamp with time zone NOT NULL,
    delivered integer NOT NULL,
    failed integer NOT NULL,
    dead_lettered integer NOT NULL,
    durations integer[] NOT NULL,
    CONSTRAINT delivery_statistics_durations_check CHECK ((cardinality(durations) = 15))
)
PARTITION BY RANGE (starts_at);

CREATE TABLE public.delivery_statistics_default (
    subscription_id text NOT NULL,
    starts_at timestamp with time zone NOT NULL,
    delivered integer NOT NULL,
    failed integer NOT NULL,
    dead_lettered integer NOT NULL,
    durations integer[] NOT NULL,
    CONSTRAINT delivery_statistics_durations_check CHECK ((cardinality(durations) = 15))
);

CREATE TABLE public.erasures (
    id text NOT NULL COLLATE pg_catalog."C",
    subject jsonb NOT NULL,
    operator text NOT NULL,
    requested_at timestamp with time zone NOT NULL,
    erased_in xid8,
    progress jsonb,
    erased_rows jsonb DEFAULT '{}'::jsonb NOT NULL,
    finished_at timestamp with time zone
);

CREATE TABLE public.event_heads (
    company_id text NOT NULL,
    last bigint NOT NULL,
    delivery_counts jsonb DEFAULT '{}'::jsonb NOT NULL,
    lost_numbers int8multirange DEFAULT '{}'::int8multirange NOT NULL,
    refused_cursor bigint
)
WITH (fillfactor='50');

CREATE TABLE public.events (
    id text NOT NULL COLLATE pg_catalog."C",
    company_id text NOT NULL,
    name text NOT NULL,
    schema_version integer NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    resource_type text NOT NULL,
    resource_id text NOT NULL,
    resource_version integer NOT NULL,
    body bytea NOT NULL,
    trace_parent text,
    request_id text,
    not_queued jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    sequence bigint NOT NULL,
    test_subscription_id text
)
PARTITION BY RANGE (id);

CREATE TABLE public.events_default (
    id text NOT NULL COLLATE pg_catalog."C",
    company_id text NOT NULL,
    name text NOT NULL,
    schema_version integer NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    resource_type text NOT NULL,
    resource_id text NOT NULL,
    resource_version integer NOT NULL,
    body bytea NOT NULL,
    trace_parent text,
    request_id text,
    not_queued jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    sequence bigint NOT NULL,
    test_subscription_id text
);

CREATE TABLE public.feed_entries (
    company_id text NOT NULL,
    sequence bigint NOT NULL,
    job_id text NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    resource text NOT NULL
)
PARTITION BY RANGE (changed_at);

CREATE TABLE public.feed_entries_default (
    company_id text NOT NULL,
    sequence bigint NOT NULL,
    job_id text NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    resource text NOT NULL
);

CREATE TABLE public.feed_heads (
    company_id text NOT NULL,
    last bigint DEFAULT 0 NOT NULL,
    purged_through bigint DEFAULT 0 NOT NULL,
    lost_numbers int8multirange DEFAULT '{}'::int8multirange NOT NULL,
    refused_cursor bigint
);

CREATE TABLE public.finished_deliveries_default (
    id text NOT NULL COLLATE pg_catalog."C",
    subscription_id text NOT NULL,
    company_id text NOT NULL,
    event_id text NOT NULL COLLATE pg_catalog."C",
    event text NOT NULL,
    resource_type text NOT NULL,
    resource_id text NOT NULL,
    is_test boolean NOT NULL,
    secret_version integer,
    replay_of text COLLATE pg_catalog."C",
    bulk_replay_id text,
    state text NOT NULL,
    attempts integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone NOT NULL,
    wrong_secret bytea,
    number bigint,
    test_url text,
    CONSTRAINT finished_deliveries_state_check CHECK ((state = ANY (ARRAY['delivered'::text, 'dead_lettered'::text, 'cancelled'::text])))
);

CREATE TABLE public.idempotency_keys (
    company_id text NOT NULL,
    key text NOT NULL,
    operation text NOT NULL,
    body_sha256 bytea NOT NULL,
    outcome text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL
)
PARTITION BY RANGE (expires_at);

CREATE TABLE public.idempotency_keys_default (
    company_id text NOT NULL,
    key text NOT NULL,
    operation text NOT NULL,
    body_sha256 bytea NOT NULL,
    outcome text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE public.inbox (
    message_id text NOT NULL,
    received_at timestamp with time zone NOT NULL,
    settled_at timestamp with time zone,
    prerequisite_id text,
    last_attempt_at timestamp with time zone,
    dead_reason text,
    resource_id text,
    resource_version integer,
    type text,
    body bytea,
    trace_parent text,
    CONSTRAINT inbox_stored_message_check CHECK (((num_nonnulls(settled_at, prerequisite_id, dead_reason) <= 1) AND (num_nonnulls(resource_id, resource_version, type, body) = (4 * num_nonnulls(prerequisite_id, dead_reason))) AND ((last_attempt_at IS NULL) OR (prerequisite_id IS NOT NULL))))
);

CREATE TABLE public.job_status_events (
    job_id text NOT NULL,
    version integer NOT NULL,
    company_id text NOT NULL,
    previous_status text NOT NULL,
    status text NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    note text,
    blocker_code text,
    recorded_at timestamp with time zone NOT NULL
);

CREATE TABLE public.jobs (
    id text NOT NULL,
    selling_company_id text NOT NULL,
    installer_company_id text,
    project_id text,
    work_order_no text,
    version integer NOT NULL,
    status text NOT NULL,
    blocker_code text,
    assigned_at timestamp with time zone,
    customer jsonb NOT NULL,
    scope jsonb NOT NULL,
    schedule_status text DEFAULT 'UNSCHEDULED'::text NOT NULL,
    schedule_starts_at timestamp with time zone,
    schedule_ends_at timestamp with time zone,
    schedule_time_zone text,
    readiness_ready boolean DEFAULT true NOT NULL,
    readiness_blocker_codes text[] DEFAULT '{}'::text[] NOT NULL,
    documents jsonb DEFAULT '[]'::jsonb NOT NULL,
    technician_assignments jsonb DEFAULT '[]'::jsonb NOT NULL,
    platform_state jsonb DEFAULT '{}'::jsonb NOT NULL,
    installer_note text,
    projection text,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    last_updated_at timestamp with time zone NOT NULL,
    CONSTRAINT jobs_assigned_check CHECK ((((installer_company_id IS NULL) = (assigned_at IS NULL)) AND ((assigned_at IS NULL) = (projection IS NULL)))),
    CONSTRAINT jobs_blocker_code_check CHECK (((status = 'BLOCKED'::text) = (blocker_code IS NOT NULL))),
    CONSTRAINT jobs_schedule_status_check CHECK ((schedule_status = ANY (ARRAY['UNSCHEDULED'::text, 'TENTATIVE'::text, 'CONFIRMED'::text, 'CANCELLED'::text]))),
    CONSTRAINT jobs_status_check CHECK ((status = ANY (ARRAY['ASSIGNED'::text, 'ACKNOWLEDGED'::text, 'EN_ROUTE'::text, 'ON_SITE'::text, 'BLOCKED'::text, 'IN_PROGRESS'::text, 'COMPLETE'::text, 'CANCELLED'::text]))),
    CONSTRAINT jobs_version_check CHECK ((version >= 1))
);

CREATE TABLE public.journal_backfills (
    company_id text NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    entry_id text NOT NULL
);

CREATE TABLE public.journal_entries (
    id text NOT NULL,
    company_id text NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    event text NOT NULL,
    data json NOT NULL,
    recorded_at timestamp with time zone NOT NULL
);

CREATE TABLE public.lead_submissions (
    id bigint NOT NULL,
    lead_id text NOT NULL,
    full_name text NOT NULL,
    email text NOT NULL,
    phone text NOT NULL,
    address text NOT NULL,
    sms_consent boolean,
    submitted_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE public.lead_submissions ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.lead_submissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.leads (
    id text NOT NULL,
    company_id text NOT NULL,
    full_name text NOT NULL,
    email text NOT NULL,
    phone text NOT NULL,
    address text NOT NULL,
    sms_consent boolean,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.memberships (
    id text NOT NULL,
    version integer DEFAULT 0 NOT NULL,
    company_id text NOT NULL,
    role text NOT NULL,
    display_name text NOT NULL,
    email text,
    password_hash text,
    active boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    session_version integer DEFAULT 0 NOT NULL,
    CONSTRAINT memberships_login_check CHECK (((password_hash IS NULL) OR (email IS NOT NULL) OR (role = 'OWNER'::text))),
    CONSTRAINT memberships_role_check CHECK ((role = ANY (ARRAY['OWNER'::text, 'VIEWER'::text, 'TECHNICIAN'::text])))
);

CREATE TABLE public.notification_emails (
    membership_id text NOT NULL,
    event_id text NOT NULL COLLATE pg_catalog."C",
    lease_id text,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.notification_recipients (
    membership_id text NOT NULL,
    emails text DEFAULT 'immediately'::text NOT NULL,
    mailed_at timestamp with time zone,
    lease_id text,
    not_before timestamp with time zone,
    CONSTRAINT notification_recipients_emails_check CHECK ((emails = ANY (ARRAY['immediately'::text, 'daily'::text, 'off'::text])))
);

CREATE TABLE public.outbox (
    id bigint NOT NULL,
    message_id text NOT NULL,
    exchange text NOT NULL,
    type text NOT NULL,
    body bytea NOT NULL,
    trace_parent text,
    request_id text,
    created_at timestamp with time zone DEFAULT now() NOT NULL
)
PARTITION BY RANGE (created_at);

CREATE TABLE public.outbox_default (
    id bigint NOT NULL,
    message_id text NOT NULL,
    exchange text NOT NULL,
    type text NOT NULL,
    body bytea NOT NULL,
    trace_parent text,
    request_id text,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE public.outbox ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.outbox_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.password_links (
    membership_id text NOT NULL,
    token_sha256 bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE public.projects (
    id text NOT NULL,
    company_id text NOT NULL,
    lead_id text,
    address_key text,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.provider_links (
    issuer text NOT NULL,
    subject text NOT NULL,
    membership_id text NOT NULL,
    linked_at timestamp with time zone NOT NULL,
    CONSTRAINT provider_links_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 255)))
);

CREATE TABLE public.restores (
    restored_to timestamp with time zone NOT NULL,
    declared_at timestamp with time zone NOT NULL
);

CREATE TABLE public.sales_records (
    id text NOT NULL,
    kind text NOT NULL,
    company_id text NOT NULL,
    project_id text,
    version integer NOT NULL,
    emitted_versions int8multirange NOT NULL,
    state text NOT NULL,
    CONSTRAINT sales_records_kind_check CHECK ((kind = ANY (ARRAY['project'::text, 'quote'::text, 'deposit'::text, 'invoice'::text, 'rebate'::text, 'journal_entry'::text]))),
    CONSTRAINT sales_records_version_check CHECK ((version >= 1))
);

CREATE TABLE public.second_factors (
    id text NOT NULL,
    membership_id text NOT NULL,
    sealed bytea NOT NULL,
    sealing_key_id text NOT NULL,
    enabled_at timestamp with time zone,
    last_step integer DEFAULT 0 NOT NULL,
    recovery_code_sha256s bytea[] DEFAULT '{}'::bytea[] NOT NULL
);

CREATE TABLE public.security_notices (
    company_id text NOT NULL,
    kind text NOT NULL,
    subject_id text NOT NULL,
    email text NOT NULL,
    details jsonb NOT NULL,
    count integer NOT NULL,
    first_at timestamp with time zone NOT NULL,
    last_at timestamp with time zone NOT NULL,
    mailed_at timestamp with time zone,
    lease_id text,
    leased_count integer,
    not_before timestamp with time zone
);

CREATE TABLE public.sent_announcements (
    id text NOT NULL COLLATE pg_catalog."C",
    announcement text NOT NULL,
    company_id text NOT NULL,
    email text NOT NULL,
    claimed_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    operator text NOT NULL
);

CREATE TABLE public.subscription_secrets (
    subscription_id text NOT NULL,
    version integer NOT NULL,
    sealed bytea NOT NULL,
    sealing_key_id text NOT NULL,
    expires_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    end_announced_at timestamp with time zone
);

CREATE TABLE public.subscriptions (
    id text NOT NULL,
    company_id text NOT NULL,
    url text NOT NULL,
    url_version integer DEFAULT 1 NOT NULL,
    verified_url_version integer,
    description text DEFAULT ''::text NOT NULL,
    events text[] NOT NULL,
    schema_version integer NOT NULL,
    state text DEFAULT 'paused'::text NOT NULL,
    health text DEFAULT 'healthy'::text NOT NULL,
    secret_version integer DEFAULT 1 NOT NULL,
    pending_secret_version integer,
    failures_in_row integer DEFAULT 0 NOT NULL,
    paused_at timestamp with time zone,
    deleted_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    failing_since timestamp with time zone,
    certificate_valid_from timestamp with time zone,
    certificate_valid_to timestamp with time zone,
    certificate_announced_at timestamp with time zone,
    notification_version integer DEFAULT 0 NOT NULL,
    header_names text[] DEFAULT '{}'::text[] NOT NULL,
    deliveries_per_second integer,
    next_delivery_at timestamp with time zone,
    secret_shown boolean DEFAULT true NOT NULL,
    verified_secret_version integer,
    CONSTRAINT subscriptions_deliveries_per_second_check CHECK ((deliveries_per_second > 0)),
    CONSTRAINT subscriptions_health_check CHECK ((health = ANY (ARRAY['healthy'::text, 'degraded'::text]))),
    CONSTRAINT subscriptions_paused_at_check CHECK (((state = 'paused'::text) = (paused_at IS NOT NULL))),
    CONSTRAINT subscriptions_state_check CHECK ((state = ANY (ARRAY['paused'::text, 'active'::text])))
);

CREATE TABLE public.technical_contacts (
    company_id text NOT NULL,
    email text,
    confirmed_at timestamp with time zone,
    pending_email text,
    pending_token_sha256 bytea,
    pending_expires_at timestamp with time zone,
    CONSTRAINT technical_contacts_confirmed_check CHECK (((email IS NULL) = (confirmed_at IS NULL))),
    CONSTRAINT technical_contacts_pending_check CHECK ((((pending_email IS NULL) = (pending_token_sha256 IS NULL)) AND ((pending_email IS NULL) = (pending_expires_at IS NULL))))
);

CREATE TABLE public.unannounced_dead_letters (
    subscription_id text NOT NULL,
    count integer NOT NULL,
    first_at timestamp with time zone NOT NULL,
    last_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone NOT NULL
);

CREATE TABLE public.unassigned_jobs (
    company_id text NOT NULL,
    job_id text NOT NULL,
    sequence bigint NOT NULL,
    unassigned_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.audit_entries ATTACH PARTITION public.audit_entries_default DEFAULT;

ALTER TABLE ONLY public.delivery_attempts ATTACH PARTITION public.delivery_attempts_default DEFAULT;

ALTER TABLE ONLY public.delivery_statistics ATTACH PARTITION public.delivery_statistics_default DEFAULT;

ALTER TABLE ONLY public.events ATTACH PARTITION public.events_default DEFAULT;

ALTER TABLE ONLY public.feed_entries ATTACH PARTITION public.feed_entries_default DEFAULT;

ALTER TABLE ONLY public.finished_deliveries ATTACH PARTITION public.finished_deliveries_default DEFAULT;

ALTER TABLE ONLY public.idempotency_keys ATTACH PARTITION public.idempotency_keys_default DEFAULT;

ALTER TABLE ONLY public.outbox ATTACH PARTITION public.outbox_default DEFAULT;

ALTER TABLE ONLY public.accounting_links
    ADD CONSTRAINT accounting_links_pkey PRIMARY KEY (company_id, version, revision);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.appointments
    ADD CONSTRAINT appointments_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.audit_entries
    ADD CONSTRAINT audit_entries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.audit_entries_default
    ADD CONSTRAINT audit_entries_default_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.bulk_replays
    ADD CONSTRAINT bulk_replays_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.companies
    ADD CONSTRAINT companies_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.contracted_installers
    ADD CONSTRAINT contracted_installers_pkey PRIMARY KEY (selling_company_id, installer_company_id);

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.delivery_attempts
    ADD CONSTRAINT delivery_attempts_pkey PRIMARY KEY (delivery_id, id);

ALTER TABLE ONLY public.delivery_attempts_default
    ADD CONSTRAINT delivery_attempts_default_pkey PRIMARY KEY (delivery_id, id);

ALTER TABLE ONLY public.delivery_statistics
    ADD CONSTRAINT delivery_statistics_pkey PRIMARY KEY (subscription_id, starts_at);

ALTER TABLE ONLY public.delivery_statistics_default
    ADD CONSTRAINT delivery_statistics_default_pkey PRIMARY KEY (subscription_id, starts_at);

ALTER TABLE ONLY public.erasures
    ADD CONSTRAINT erasures_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.event_heads
    ADD CONSTRAINT event_heads_pkey PRIMARY KEY (company_id);

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.events_default
    ADD CONSTRAINT events_default_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.feed_entries
    ADD CONSTRAINT feed_entries_pkey PRIMARY KEY (company_id, sequence, changed_at);

ALTER TABLE ONLY public.feed_entries_default
    ADD CONSTRAINT feed_entries_default_pkey PRIMARY KEY (company_id, sequence, changed_at);

ALTER TABLE ONLY public.feed_heads
    ADD CONSTRAINT feed_heads_pkey PRIMARY KEY (company_id);

ALTER TABLE ONLY public.finished_deliveries
    ADD CONSTRAINT finished_deliveries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.finished_deliveries_default
    ADD CONSTRAINT finished_deliveries_default_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (company_id, key, expires_at);

ALTER TABLE ONLY public.idempotency_keys_default
    ADD CONSTRAINT idempotency_keys_default_pkey PRIMARY KEY (company_id, key, expires_at);

ALTER TABLE ONLY public.inbox
    ADD CONSTRAINT inbox_pkey PRIMARY KEY (message_id);

ALTER TABLE ONLY public.job_status_events
    ADD CONSTRAINT job_status_events_pkey PRIMARY KEY (job_id, version);

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.journal_backfills
    ADD CONSTRAINT journal_backfills_pkey PRIMARY KEY (company_id);

ALTER TABLE ONLY public.journal_entries
    ADD CONSTRAINT journal_entries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.lead_submissions
    ADD CONSTRAINT lead_submissions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.leads
    ADD CONSTRAINT leads_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.notification_emails
    ADD CONSTRAINT notification_emails_pkey PRIMARY KEY (membership_id, event_id);

ALTER TABLE ONLY public.notification_recipients
    ADD CONSTRAINT notification_recipients_pkey PRIMARY KEY (membership_id);

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (id, created_at);

ALTER TABLE ONLY public.outbox_default
    ADD CONSTRAINT outbox_default_pkey PRIMARY KEY (id, created_at);

ALTER TABLE ONLY public.password_links
    ADD CONSTRAINT password_links_pkey PRIMARY KEY (membership_id);

ALTER TABLE ONLY public.password_links
    ADD CONSTRAINT password_links_token_sha256_key UNIQUE (token_sha256);

ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_address_key_key UNIQUE (company_id, address_key);

ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.provider_links
    ADD CONSTRAINT provider_links_membership_id_issuer_key UNIQUE (membership_id, issuer);

ALTER TABLE ONLY public.provider_links
    ADD CONSTRAINT provider_links_pkey PRIMARY KEY (issuer, subject);

ALTER TABLE ONLY public.restores
    ADD CONSTRAINT restores_pkey PRIMARY KEY (restored_to);

ALTER TABLE ONLY public.sales_records
    ADD CONSTRAINT sales_records_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.second_factors
    ADD CONSTRAINT second_factors_membership_id_key UNIQUE (membership_id);

ALTER TABLE ONLY public.second_factors
    ADD CONSTRAINT second_factors_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.security_notices
    ADD CONSTRAINT security_notices_pkey PRIMARY KEY (company_id, kind, subject_id, email);

ALTER TABLE ONLY public.sent_announcements
    ADD CONSTRAINT sent_announcements_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.subscription_secrets
    ADD CONSTRAINT subscription_secrets_pkey PRIMARY KEY (subscription_id, version);

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.technical_contacts
    ADD CONSTRAINT technical_contacts_pending_token_sha256_key UNIQUE (pending_token_sha256);

ALTER TABLE ONLY public.technical_contacts
    ADD CONSTRAINT technical_contacts_pkey PRIMARY KEY (company_id);

ALTER TABLE ONLY public.unannounced_dead_letters
    ADD CONSTRAINT unannounced_dead_letters_pkey PRIMARY KEY (subscription_id);

ALTER TABLE ONLY public.unassigned_jobs
    ADD CONSTRAINT unassigned_jobs_pkey PRIMARY KEY (company_id, job_id);

ALTER TABLE ONLY public.unassigned_jobs
    ADD CONSTRAINT unassigned_jobs_sequence_key UNIQUE (company_id, sequence);

CREATE INDEX api_keys_company_id_idx ON public.api_keys USING btree (company_id, id);

CREATE INDEX api_keys_expires_at_idx ON public.api_keys USING btree (expires_at) WHERE ((expires_at IS NOT NULL) AND (revoked_at IS NULL));

CREATE INDEX appointments_lead_id_idx ON public.appointments USING btree (lead_id);

CREATE INDEX appointments_project_id_idx ON public.appointments USING btree (project_id) WHERE (project_id IS NOT NULL);

CREATE INDEX audit_entries_action_idx ON ONLY public.audit_entries USING btree (company_id, action, id);

CREATE INDEX audit_entries_company_id_idx ON ONLY public.audit_entries USING btree (company_id, id);

CREATE INDEX audit_entries_default_company_id_action_id_idx ON public.audit_entries_default USING btree (company_id, action, id);

CREATE INDEX audit_entries_default_company_id_id_idx ON public.audit_entries_default USING btree (company_id, id);

CREATE INDEX bulk_replays_next_run_at_idx ON public.bulk_replays USING btree (next_run_at) WHERE (state = 'running'::text);

CREATE INDEX bulk_replays_next_step_at_idx ON public.bulk_replays USING btree (next_step_at) WHERE (state = 'running'::text);

CREATE UNIQUE INDEX bulk_replays_running_key ON public.bulk_replays USING btree (subscription_id, kind) WHERE (state = 'running'::text);

CREATE INDEX bulk_replays_subscription_id_idx ON public.bulk_replays USING btree (subscription_id, id);

CREATE INDEX deliveries_bulk_replay_id_idx ON public.deliveries USING btree (bulk_replay_id) WHERE (bulk_replay_id IS NOT NULL);

CREATE INDEX deliveries_company_id_idx ON public.deliveries USING btree (company_id, id);

CREATE INDEX deliveries_event_id_idx ON public.deliveries USING btree (event_id);

CREATE INDEX deliveries_first_idx ON public.deliveries USING btree (subscription_id, next_attempt_at) WHERE ((state = 'pending'::text) AND (lease_id IS NULL));

CREATE INDEX deliveries_held_idx ON public.deliveries USING btree (subscription_id, id) WHERE (state = 'held'::text);

CREATE INDEX deliveries_leased_idx ON public.deliveries USING btree (next_attempt_at, subscription_id, company_id) WHERE (lease_id IS NOT NULL);

CREATE INDEX deliveries_overdue_idx ON public.deliveries USING btree (overdue_since) WHERE (overdue_since IS NOT NULL);

CREATE INDEX deliveries_retry_idx ON public.deliveries USING btree (subscription_id, next_attempt_at) WHERE ((state = 'retry_scheduled'::text) AND (lease_id IS NULL));

CREATE INDEX deliveries_subscription_id_idx ON public.deliveries USING btree (subscription_id, id);

CREATE INDEX deliveries_tests_idx ON public.deliveries USING btree (company_id, created_at) WHERE is_test;

CREATE INDEX delivery_attempts_id_idx ON ONLY public.delivery_attempts USING btree (id);

CREATE INDEX delivery_attempts_default_id_idx ON public.delivery_attempts_default USING btree (id);

CREATE INDEX delivery_attempts_recorded_at_idx ON ONLY public.delivery_attempts USING brin (recorded_at);

CREATE INDEX delivery_attempts_default_recorded_at_idx ON public.delivery_attempts_default USING brin (recorded_at);

CREATE INDEX erasures_unfinished_idx ON public.erasures USING btree (id) WHERE (finished_at IS NULL);

CREATE INDEX events_company_id_idx ON ONLY public.events USING btree (company_id, id);

CREATE INDEX events_default_company_id_id_idx ON public.events_default USING btree (company_id, id);

CREATE INDEX events_resource_id_idx ON ONLY public.events USING btree (company_id, resource_id, id);

CREATE INDEX events_default_company_id_resource_id_id_idx ON public.events_default USING btree (company_id, resource_id, id);

CREATE INDEX events_sequence_idx ON ONLY public.events USING btree (company_id, sequence) WHERE (sequence > 0);

CREATE INDEX events_default_company_id_sequence_idx ON public.events_default USING btree (company_id, sequence) WHERE (sequence > 0);

CREATE INDEX feed_entries_job_id_idx ON ONLY public.feed_entries USING btree (company_id, job_id);

CREATE INDEX feed_entries_default_company_id_job_id_idx ON public.feed_entries_default USING btree (company_id, job_id);

CREATE INDEX finished_deliveries_company_id_idx ON ONLY public.finished_deliveries USING btree (company_id, id);

CREATE INDEX finished_deliveries_company_state_idx ON ONLY public.finished_deliveries USING btree (company_id, state, id) WHERE (state <> 'delivered'::text);

CREATE INDEX finished_deliveries_tests_idx ON ONLY public.finished_deliveries USING btree (company_id, created_at) WHERE is_test;

CREATE INDEX finished_deliveries_default_company_id_created_at_idx ON public.finished_deliveries_default USING btree (company_id, created_at) WHERE is_test;

CREATE INDEX finished_deliveries_default_company_id_id_idx ON public.finished_deliveries_default USING btree (company_id, id);

CREATE INDEX finished_deliveries_default_company_id_state_id_idx ON public.finished_deliveries_default USING btree (company_id, state, id) WHERE (state <> 'delivered'::text);

CREATE INDEX finished_deliveries_event_id_idx ON ONLY public.finished_deliveries USING btree (event_id);

CREATE INDEX finished_deliveries_default_event_id_idx ON public.finished_deliveries_default USING btree (event_id);

CREATE INDEX finished_deliveries_finished_at_idx ON ONLY public.finished_deliveries USING brin (finished_at);

CREATE INDEX finished_deliveries_default_finished_at_idx ON public.finished_deliveries_default USING brin (finished_at);

CREATE INDEX finished_deliveries_subscription_id_idx ON ONLY public.finished_deliveries USING btree (subscription_id, id);

CREATE INDEX finished_deliveries_default_subscription_id_id_idx ON public.finished_deliveries_default USING btree (subscription_id, id);

CREATE INDEX finished_deliveries_subscription_state_idx ON ONLY public.finished_deliveries USING btree (subscription_id, state, id) WHERE (state <> 'delivered'::text);

CREATE INDEX finished_deliveries_default_subscription_id_state_id_idx ON public.finished_deliveries_default USING btree (subscription_id, state, id) WHERE (state <> 'delivered'::text);

CREATE INDEX inbox_dead_reason_idx ON public.inbox USING btree (received_at) WHERE (dead_reason IS NOT NULL);

CREATE INDEX inbox_prerequisite_id_idx ON public.inbox USING btree (prerequisite_id) WHERE (prerequisite_id IS NOT NULL);

CREATE INDEX inbox_received_at_idx ON public.inbox USING btree (received_at);

CREATE INDEX inbox_resource_id_idx ON public.inbox USING btree (resource_id) WHERE (prerequisite_id IS NOT NULL);

CREATE INDEX inbox_waiting_idx ON public.inbox USING btree (received_at) WHERE (prerequisite_id IS NOT NULL);

CREATE INDEX jobs_contractor_idx ON public.jobs USING btree (selling_company_id, installer_company_id, last_updated_at DESC, id DESC);

CREATE INDEX jobs_installer_company_id_idx ON public.jobs USING btree (installer_company_id, id);

CREATE INDEX jobs_project_id_idx ON public.jobs USING btree (project_id) WHERE (project_id IS NOT NULL);

CREATE INDEX jobs_work_order_no_idx ON public.jobs USING btree (work_order_no) WHERE (work_order_no IS NOT NULL);

CREATE INDEX journal_entries_company_id_idx ON public.journal_entries USING btree (company_id, occurred_at);

CREATE INDEX journal_entries_recorded_at_idx ON public.journal_entries USING btree (recorded_at);

CREATE INDEX lead_submissions_lead_id_idx ON public.lead_submissions USING btree (lead_id);

CREATE INDEX memberships_company_id_idx ON public.memberships USING btree (company_id);

CREATE UNIQUE INDEX memberships_email_key ON public.memberships USING btree (lower(email));

CREATE INDEX outbox_exchange_idx ON ONLY public.outbox USING btree (exchange, id);

CREATE INDEX outbox_default_exchange_id_idx ON public.outbox_default USING btree (exchange, id);

CREATE INDEX projects_lead_id_idx ON public.projects USING btree (lead_id);

CREATE INDEX sales_records_project_id_idx ON public.sales_records USING btree (project_id) WHERE (project_id IS NOT NULL);

CREATE UNIQUE INDEX sent_announcements_once_key ON public.sent_announcements USING btree (announcement, company_id, lower(email));

CREATE INDEX subscription_secrets_expires_at_idx ON public.subscription_secrets USING btree (expires_at) WHERE (expires_at IS NOT NULL);

CREATE INDEX subscription_secrets_sealing_key_id_idx ON public.subscription_secrets USING btree (sealing_key_id);

CREATE INDEX subscriptions_certificate_idx ON public.subscriptions USING btree (certificate_valid_to) WHERE ((certificate_valid_to IS NOT NULL) AND (deleted_at IS NULL));

CREATE INDEX subscriptions_company_id_idx ON public.subscriptions USING btree (company_id, id) WHERE (deleted_at IS NULL);

CREATE INDEX subscriptions_deleted_idx ON public.subscriptions USING btree (company_id, id) WHERE (deleted_at IS NOT NULL);

CREATE INDEX subscriptions_failing_idx ON public.subscriptions USING btree (failures_in_row) WHERE (failures_in_row > 0);

CREATE INDEX subscriptions_failing_since_idx ON public.subscriptions USING btree (failing_since) WHERE (failing_since IS NOT NULL);

CREATE INDEX unannounced_dead_letters_due_at_idx ON public.unannounced_dead_letters USING btree (due_at) WHERE (count > 0);

ALTER INDEX public.audit_entries_action_idx ATTACH PARTITION public.audit_entries_default_company_id_action_id_idx;

ALTER INDEX public.audit_entries_company_id_idx ATTACH PARTITION public.audit_entries_default_company_id_id_idx;

ALTER INDEX public.audit_entries_pkey ATTACH PARTITION public.audit_entries_default_pkey;

ALTER INDEX public.delivery_attempts_id_idx ATTACH PARTITION public.delivery_attempts_default_id_idx;

ALTER INDEX public.delivery_attempts_pkey ATTACH PARTITION public.delivery_attempts_default_pkey;

ALTER INDEX public.delivery_attempts_recorded_at_idx ATTACH PARTITION public.delivery_attempts_default_recorded_at_idx;

ALTER INDEX public.delivery_statistics_pkey ATTACH PARTITION public.delivery_statistics_default_pkey;

ALTER INDEX public.events_company_id_idx ATTACH PARTITION public.events_default_company_id_id_idx;

ALTER INDEX public.events_resource_id_idx ATTACH PARTITION public.events_default_company_id_resource_id_id_idx;

ALTER INDEX public.events_sequence_idx ATTACH PARTITION public.events_default_company_id_sequence_idx;

ALTER INDEX public.events_pkey ATTACH PARTITION public.events_default_pkey;

ALTER INDEX public.feed_entries_job_id_idx ATTACH PARTITION public.feed_entries_default_company_id_job_id_idx;

ALTER INDEX public.feed_entries_pkey ATTACH PARTITION public.feed_entries_default_pkey;

ALTER INDEX public.finished_deliveries_tests_idx ATTACH PARTITION public.finished_deliveries_default_company_id_created_at_idx;

ALTER INDEX public.finished_deliveries_company_id_idx ATTACH PARTITION public.finished_deliveries_default_company_id_id_idx;

ALTER INDEX public.finished_deliveries_company_state_idx ATTACH PARTITION public.finished_deliveries_default_company_id_state_id_idx;

ALTER INDEX public.finished_deliveries_event_id_idx ATTACH PARTITION public.finished_deliveries_default_event_id_idx;

ALTER INDEX public.finished_deliveries_finished_at_idx ATTACH PARTITION public.finished_deliveries_default_finished_at_idx;

ALTER INDEX public.finished_deliveries_pkey ATTACH PARTITION public.finished_deliveries_default_pkey;

ALTER INDEX public.finished_deliveries_subscription_id_idx ATTACH PARTITION public.finished_deliveries_default_subscription_id_id_idx;

ALTER INDEX public.finished_deliveries_subscription_state_idx ATTACH PARTITION public.finished_deliveries_default_subscription_id_state_id_idx;

ALTER INDEX public.idempotency_keys_pkey ATTACH PARTITION public.idempotency_keys_default_pkey;

ALTER INDEX public.outbox_exchange_idx ATTACH PARTITION public.outbox_default_exchange_id_idx;

ALTER INDEX public.outbox_pkey ATTACH PARTITION public.outbox_default_pkey;

CREATE TRIGGER number_event BEFORE INSERT ON public.events FOR EACH ROW WHEN ((new.sequence IS NULL)) EXECUTE FUNCTION public.number_event();

ALTER TABLE ONLY public.accounting_links
    ADD CONSTRAINT accounting_links_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.companies(id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_bound_company_id_fkey FOREIGN KEY (bound_company_id) REFERENCES public.companies(id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.companies(id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_replaced_by_fkey FOREIGN KEY (replaced_by) REFERENCES public.api_keys(id);

ALTER TABLE ONLY public.appointments
    ADD CONSTRAINT appointments_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.companies(id);

ALTER TABLE ONLY public.appointments
    ADD CONSTRAINT appointments_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES public.leads(id);

ALTER TABLE ONLY public.appointments
    ADD CONSTRAINT appointments_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.projects(id);

ALTER TABLE ONLY public.bulk_replays
    ADD CONSTRAINT bulk_replays_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES public.subscriptions(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.contracted_installers
    ADD CONSTRAINT contracted_installers_installer_company_id_fkey FOREIGN KEY (installer_company_id) REFERENCES public.companies(id);

ALTER TABLE ONLY public.contracted_installers
    ADD CONSTRAINT contracted_installers_selling_company_id_fkey FOREIGN KEY (selling_company_id) REFERENCES public.companies(id);

ALTER TABLE ONLY public.feed_heads
    ADD CONSTRAINT feed_heads_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.companies(id);

ALTER TABLE ONLY public.job_status_events
    ADD CONSTRAINT job_status_events_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.jobs(id);

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_installer_company_id_fkey FOREIGN KEY (installer_company_id) REFERENCES public.companies(id);

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.projects(id);

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_selling_company_id_fkey FOREIGN KEY (selling_company_id) REFERENCES public.companies(id);

ALTER TABLE ONLY public.journal_backfills
    ADD CONSTRAINT journal_backfills_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.companies(id);

ALTER TABLE ONLY public.journal_entries
    ADD CONSTRAINT journal_entries_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.companies(id);

ALTER TABLE ONLY public.lead_submissions
    ADD CONSTRAINT lead_submissions_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES public.leads(id);

ALTER TABLE ONLY public.leads
    ADD CONSTRAINT leads_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.companies(id);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.companies(id);

ALTER TABLE ONLY public.notification_emails
    ADD CONSTRAINT notification_emails_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES public.memberships(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.notification_recipients
    ADD CONSTRAINT notification_recipients_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES public.memberships(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.password_links
    ADD CONSTRAINT password_links_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES public.memberships(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.companies(id);

ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES public.leads(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.provider_links
    ADD CONSTRAINT provider_links_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES public.memberships(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.sales_records
    ADD CONSTRAINT sales_records_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.companies(id);

ALTER TABLE ONLY public.sales_records
    ADD CONSTRAINT sales_records_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.projects(id);

ALTER TABLE ONLY public.second_factors
    ADD CONSTRAINT second_factors_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES public.memberships(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.security_notices
    ADD CONSTRAINT security_notices_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.companies(id);

ALTER TABLE ONLY public.sent_announcements
    ADD CONSTRAINT sent_announcements_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.companies(id);

ALTER TABLE ONLY public.subscription_secrets
    ADD CONSTRAINT subscription_secrets_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES public.subscriptions(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.companies(id);

ALTER TABLE ONLY public.technical_contacts
    ADD CONSTRAINT technical_contacts_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.companies(id);

ALTER TABLE ONLY public.unannounced_dead_letters
    ADD CONSTRAINT unannounced_dead_letters_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES public.subscriptions(id) ON DELETE CASCADE;
