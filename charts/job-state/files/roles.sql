-- The two users of the database of job-state, and what each may do. To be run in that database as a superuser, or as a user with
-- createrole who owns the database, before the first migration; harmless when it is run again. Passwords are set after it
-- (\password partner_owner).
--
-- partner_owner runs the migrations and owns every table. partner_app is the service: it reads and changes rows; partitions it
-- makes and drops by functions of the schema alone.
do $$
begin
  if not exists (select from pg_roles where rolname = 'partner_owner') then
    create role partner_owner login;
  end if;
  if not exists (select from pg_roles where rolname = 'partner_app') then
    create role partner_app login;
  end if;
  -- Without a superuser, as on managed servers: rights on what partner_owner has and makes are for its members to give.
  if not pg_has_role('partner_owner', 'usage') then
    grant partner_owner to current_user;
  end if;
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to partner_owner, partner_app', current_database());
end $$;

revoke all on schema public from public;
grant usage, create on schema public to partner_owner;
grant usage on schema public to partner_app;

-- What migrations will make.
alter default privileges for role partner_owner revoke execute on functions from public;
alter default privileges for role partner_owner in schema public
  grant select, insert, update, delete on tables to partner_app;
alter default privileges for role partner_owner in schema public grant usage, select on sequences to partner_app;
alter default privileges for role partner_owner in schema public grant execute on functions to partner_app;

-- What is there already.
grant select, insert, update, delete on all tables in schema public to partner_app;
grant usage, select on all sequences in schema public to partner_app;
grant execute on all functions in schema public to partner_app;
do $$
begin
  -- The service reads the tables of the migrations. Only the owner writes to them.
  if to_regclass('public.knex_migrations') is not null then
    revoke insert, update, delete on public.knex_migrations, public.knex_migrations_lock from partner_app;
  end if;
end $$;
