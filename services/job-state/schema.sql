CREATE TABLE public.api_keys (
    id text NOT NULL,
    company_id text NOT NULL,
    kind text NOT NULL,
    bound_company_id text,
    secret_sha256 bytea NOT NULL,
    last_four text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp with time zone,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
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
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT appointments_ends_at_check CHECK ((ends_at > starts_at))
);

CREATE TABLE public.companies (
    id text NOT NULL,
    name text NOT NULL,
    class text NOT NULL,
    installer_requests_per_minute integer,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT companies_class_check CHECK ((class = ANY (ARRAY['SALES'::text, 'INSTALLER'::text, 'ACCOUNTING'::text]))),
    CONSTRAINT companies_installer_requests_per_minute_check CHECK ((installer_requests_per_minute >= 1))
);

CREATE TABLE public.deliveries (
    id text NOT NULL,
    subscription_id text NOT NULL,
    company_id text NOT NULL,
    event_id text NOT NULL,
    is_test boolean DEFAULT false NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone DEFAULT now(),
    lease_id text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'retry_scheduled'::text, 'delivered'::text, 'dead_lettered'::text, 'held'::text])))
);

CREATE TABLE public.delivery_attempts (
    id text NOT NULL,
    delivery_id text NOT NULL,
    number integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    duration_ms integer NOT NULL,
    outcome text NOT NULL,
    response_status integer,
    response_body bytea,
    error text,
    remote_address text,
    secret_version integer NOT NULL,
    recorded_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT delivery_attempts_outcome_check CHECK ((outcome = ANY (ARRAY['delivered'::text, 'rejected'::text, 'timed_out'::text, 'tls_failed'::text, 'connection_failed'::text, 'endpoint_refused'::text])))
);

CREATE TABLE public.events (
    id text NOT NULL,
    company_id text NOT NULL,
    name text NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    resource_type text NOT NULL,
    resource_id text NOT NULL,
    resource_version integer NOT NULL,
    body bytea NOT NULL,
    trace_parent text,
    request_id text,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.feed_entries (
    company_id text NOT NULL,
    sequence bigint NOT NULL,
    job_id text NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    resource text NOT NULL
);

CREATE TABLE public.feed_heads (
    company_id text NOT NULL,
    last bigint DEFAULT 0 NOT NULL
);

CREATE TABLE public.idempotency_keys (
    company_id text NOT NULL,
    key text NOT NULL,
    operation text NOT NULL,
    body_sha256 bytea NOT NULL,
    outcome text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE public.inbox (
    message_id text NOT NULL,
    received_at timestamp with time zone NOT NULL,
    settled_at timestamp with time zone,
    waits_for text,
    dead_reason text,
    type text,
    body bytea,
    trace_parent text,
    CONSTRAINT inbox_kept_check CHECK (((num_nonnulls(settled_at, waits_for, dead_reason) <= 1) AND ((num_nonnulls(waits_for, dead_reason) = 1) = (type IS NOT NULL)) AND ((type IS NULL) = (body IS NULL))))
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
    company_id text NOT NULL,
    role text NOT NULL,
    display_name text NOT NULL,
    email text,
    password_hash text,
    active boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT memberships_login_check CHECK (((email IS NULL) = (password_hash IS NULL))),
    CONSTRAINT memberships_role_check CHECK ((role = ANY (ARRAY['OWNER'::text, 'TECHNICIAN'::text])))
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
);

ALTER TABLE public.outbox ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.outbox_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.projects (
    id text NOT NULL,
    company_id text NOT NULL,
    lead_id text,
    address_key text,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.subscription_secrets (
    subscription_id text NOT NULL,
    version integer NOT NULL,
    sealed bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
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
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT subscriptions_health_check CHECK ((health = ANY (ARRAY['healthy'::text, 'degraded'::text]))),
    CONSTRAINT subscriptions_state_check CHECK ((state = ANY (ARRAY['paused'::text, 'active'::text])))
);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.appointments
    ADD CONSTRAINT appointments_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.companies
    ADD CONSTRAINT companies_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.delivery_attempts
    ADD CONSTRAINT delivery_attempts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.feed_entries
    ADD CONSTRAINT feed_entries_pkey PRIMARY KEY (company_id, sequence);

ALTER TABLE ONLY public.feed_heads
    ADD CONSTRAINT feed_heads_pkey PRIMARY KEY (company_id);

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (company_id, key);

ALTER TABLE ONLY public.inbox
    ADD CONSTRAINT inbox_pkey PRIMARY KEY (message_id);

ALTER TABLE ONLY public.job_status_events
    ADD CONSTRAINT job_status_events_pkey PRIMARY KEY (job_id, version);

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.lead_submissions
    ADD CONSTRAINT lead_submissions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.leads
    ADD CONSTRAINT leads_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_address_key_key UNIQUE (company_id, address_key);

ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.subscription_secrets
    ADD CONSTRAINT subscription_secrets_pkey PRIMARY KEY (subscription_id, version);

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_pkey PRIMARY KEY (id);

CREATE INDEX api_keys_company_id_idx ON public.api_keys USING btree (company_id);

CREATE INDEX deliveries_due_idx ON public.deliveries USING btree (next_attempt_at) WHERE ((finished_at IS NULL) AND (state <> 'held'::text));

CREATE INDEX deliveries_event_id_idx ON public.deliveries USING btree (event_id);

CREATE INDEX deliveries_leased_idx ON public.deliveries USING btree (subscription_id, next_attempt_at) WHERE (lease_id IS NOT NULL);

CREATE INDEX deliveries_subscription_due_idx ON public.deliveries USING btree (subscription_id, state, next_attempt_at) WHERE (state = ANY (ARRAY['pending'::text, 'retry_scheduled'::text]));

CREATE INDEX deliveries_subscription_id_idx ON public.deliveries USING btree (subscription_id, id DESC);

CREATE INDEX deliveries_subscription_state_idx ON public.deliveries USING btree (subscription_id, state, id DESC);

CREATE INDEX deliveries_test_idx ON public.deliveries USING btree (subscription_id, created_at) WHERE is_test;

CREATE INDEX delivery_attempts_delivery_id_idx ON public.delivery_attempts USING btree (delivery_id, started_at);

CREATE INDEX events_company_id_idx ON public.events USING btree (company_id, created_at);

CREATE INDEX events_resource_id_idx ON public.events USING btree (resource_id);

CREATE INDEX feed_entries_job_id_idx ON public.feed_entries USING btree (company_id, job_id);

CREATE INDEX idempotency_keys_expires_at_idx ON public.idempotency_keys USING btree (expires_at);

CREATE INDEX inbox_dead_reason_idx ON public.inbox USING btree (received_at) WHERE (dead_reason IS NOT NULL);

CREATE INDEX inbox_received_at_idx ON public.inbox USING btree (received_at);

CREATE INDEX inbox_waits_for_idx ON public.inbox USING btree (waits_for) WHERE (waits_for IS NOT NULL);

CREATE INDEX jobs_contractor_idx ON public.jobs USING btree (selling_company_id, installer_company_id, last_updated_at DESC, id DESC);

CREATE INDEX jobs_installer_company_id_idx ON public.jobs USING btree (installer_company_id, id);

CREATE INDEX lead_submissions_lead_id_idx ON public.lead_submissions USING btree (lead_id);

CREATE INDEX memberships_company_id_idx ON public.memberships USING btree (company_id);

CREATE UNIQUE INDEX memberships_email_key ON public.memberships USING btree (lower(email));

CREATE INDEX outbox_exchange_idx ON public.outbox USING btree (exchange, id);

CREATE INDEX subscriptions_company_id_idx ON public.subscriptions USING btree (company_id, id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_bound_company_id_fkey FOREIGN KEY (bound_company_id) REFERENCES public.companies(id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.companies(id);

ALTER TABLE ONLY public.appointments
    ADD CONSTRAINT appointments_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.companies(id);

ALTER TABLE ONLY public.appointments
    ADD CONSTRAINT appointments_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES public.leads(id);

ALTER TABLE ONLY public.appointments
    ADD CONSTRAINT appointments_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.projects(id);

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_event_id_fkey FOREIGN KEY (event_id) REFERENCES public.events(id);

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES public.subscriptions(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.delivery_attempts
    ADD CONSTRAINT delivery_attempts_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES public.deliveries(id) ON DELETE CASCADE;

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

ALTER TABLE ONLY public.lead_submissions
    ADD CONSTRAINT lead_submissions_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES public.leads(id);

ALTER TABLE ONLY public.leads
    ADD CONSTRAINT leads_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.companies(id);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.companies(id);

ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.companies(id);

ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES public.leads(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.subscription_secrets
    ADD CONSTRAINT subscription_secrets_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES public.subscriptions(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_company_id_fkey FOREIGN KEY (company_id) REFERENCES public.companies(id);
