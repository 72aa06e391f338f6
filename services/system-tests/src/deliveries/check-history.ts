import { createHash } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import type { TimedWebhook } from '../support/webhook-receiver.js';
import { signaturesOf } from '../support/webhook-signatures.js';
import type { DeliveryHistory, SubscriptionHistory } from './delivery-history.js';
import { INVARIANTS } from './invariants.js';

/** One violation shows itself in many places. */
const SHOWN_OF_EACH = 10;
/** Postgres takes no JSON beyond 256 MB, nor Node a text beyond 512 MB. */
const ROWS_AT_ONCE = 5_000;

/**
 * The recorded history as tables and functions beside those of the service, for one connection. Times are in milliseconds. Ids have
 * the collation of the service's: with another one no index finds them.
 */
const RECORDED = `
  create temporary table written (
    company_id text, name text, resource_id text, resource_version int, sent float8, responded float8);
  create temporary table led (company_id text, lead_id text, address text);
  create temporary table changed (
    subscription_id text, place int, kind text, value text, sent float8, responded float8);
  create temporary table received (
    attempt_id text collate "C", subscription_id text, path text, event_id text collate "C", body_sha256 text,
    received float8, signed float8, status int, retry_after_ms float8, secret_version int, signer int, headers jsonb);
  create temporary table reading (
    company_id text, way text, reader text, place bigint, number bigint, subscription_id text, event_id text collate "C",
    name text, resource_id text, resource_version int, body_sha256 text, outcome text, is_signed boolean);
  create temporary table unsettled (since float8, until float8);
  create temporary table settings (began float8, companies text[], retry_base float8, lease float8, under_way float8);

  create function pg_temp.ms(at timestamptz) returns float8 language sql as
    'select extract(epoch from at)::float8 * 1000';

  -- Whether something was taken from the service that can still be felt at some time in between.
  create function pg_temp.is_unsettled(lo float8, hi float8) returns boolean language sql as
    'select exists (select from unsettled where since <= hi and until >= lo)';

  -- What the owner's changes allow in a span: the one in force before it, and each that can have come into force in it.
  create function pg_temp.allowed(subscription text, of_kind text, lo float8, hi float8) returns setof text
    language sql as '
      select value from changed c
      where c.subscription_id = subscription and c.kind = of_kind and c.sent < hi and not exists (
        select from changed later
        where later.subscription_id = subscription and later.kind = of_kind and later.place > c.place
          and later.responded <= lo)';
`;

/** The rows of the service that the recorded history is about. */
const OF_THIS_RUN = `
  -- Without notifications: no write makes them, and no subscription of the history wants them.
  create temporary table made as
    select events.* from events, settings
    where company_id = any(companies) and pg_temp.ms(created_at) >= began and name !~ '^(webhook|api_key)[.]';
  create temporary table queued as
    select d.* from all_deliveries d where event_id in (select id from made);
  create temporary table wanted as
    select s.id as subscription_id, m.id as event_id, m.name = 'install.test' as is_test, w.sent, w.responded
    from made m left join written w using (company_id, name, resource_id, resource_version)
    join subscriptions s on case m.name when 'install.test' then s.id = resource_id else
      s.company_id = m.company_id and exists (select from unnest(s.events) e where m.name like replace(e, '*', '%')) end;
  create temporary table attempts as
    select a.*, d.subscription_id, d.event_id, pg_temp.ms(a.started_at) as began,
      pg_temp.ms(a.started_at) + a.duration_ms as ended
    from delivery_attempts a join queued d on d.id = a.delivery_id;
  create index on made (id);
  create index on queued (subscription_id, event_id);
  create index on wanted (subscription_id, event_id);
  create index on attempts (delivery_id);
  create index on attempts (id);
  create index on received (attempt_id);
  create index on received (subscription_id, event_id);
  create index on reading (way, company_id, resource_id, resource_version);
  create index on reading (way, subscription_id, event_id);
  analyze written, changed, received, reading, made, queued, wanted, attempts;
`;

/**
 * Checks what a history must hold (spec: Events; decisions: Webhooks), by {@link INVARIANTS} over the service's tables and
 * what clients, partners and receivers saw. Returns every violation in words, none for a service that is right. Where two orders
 * were possible, both are right.
 */
export async function checkHistory(database: Pool, history: DeliveryHistory): Promise<readonly string[]> {
  const client = await database.connect();
  try {
    await client.query(RECORDED);
    await load(client, history);
    await client.query(OF_THIS_RUN);
    const violations: string[] = [];
    for (const [invariant, query] of Object.entries(INVARIANTS)) {
      const { rows } = await client.query(query);
      violations.push(
        ...rows.slice(0, SHOWN_OF_EACH).map((row) => `not so: ${invariant}: ${JSON.stringify(row)}`),
      );
    }
    return violations;
  } finally {
    // Its temporary tables end with it.
    client.release(true);
  }
}

async function load(client: PoolClient, history: DeliveryHistory): Promise<void> {
  async function insert(table: string, rows: readonly object[]): Promise<void> {
    for (let first = 0; first < rows.length; first += ROWS_AT_ONCE)
      await client.query(`insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1)`, [
        JSON.stringify(rows.slice(first, first + ROWS_AT_ONCE)),
      ]);
  }
  const { settings, beganAt, companyIds, subscriptions } = history;
  await insert('settings', [
    {
      ...{ began: beganAt, companies: companyIds },
      ...{ retry_base: settings.retryBaseMs, lease: settings.leaseMs, under_way: settings.underWayMs },
    },
  ]);
  await insert(
    'written',
    history.writes.flatMap(({ companyId, sentAt, respondedAt, tells }) =>
      tells.map(({ name, resourceId, resourceVersion }) => ({
        ...{ company_id: companyId, name, resource_id: resourceId, resource_version: resourceVersion },
        ...{ sent: sentAt, responded: respondedAt },
      })),
    ),
  );
  await insert(
    'led',
    history.leads.map(({ companyId, leadId, address }) => ({
      company_id: companyId,
      lead_id: leadId,
      address,
    })),
  );
  await insert(
    'changed',
    subscriptions.flatMap(({ id, changes }) =>
      changes.map(({ sentAt, respondedAt, ...change }, place) => ({
        ...{ ...change, subscription_id: id, place, sent: sentAt, responded: respondedAt },
      })),
    ),
  );
  await insert(
    'received',
    history.requests.map((request) => receivedRow(request, subscriptions)),
  );
  await insert('reading', history.readings);
  await insert(
    'unsettled',
    history.unsettled.map(({ from, to }) => ({ since: from, until: to })),
  );
}

/** A POST with the subscription that its path leads to, and the version of the secret that has made both signatures. */
function receivedRow(request: TimedWebhook, subscriptions: readonly SubscriptionHistory[]) {
  const { path, headers, body, envelope } = request;
  const subscription = subscriptions.find(({ changes }) =>
    changes.some(({ kind, value }) => kind === 'path' && value === path),
  );
  const signers = subscription?.secrets.filter(({ secret }) =>
    Object.entries(signaturesOf(secret, request)).every(([name, signature]) => headers[name] === signature),
  );
  return {
    attempt_id: headers['x-svc-delivery-id'],
    subscription_id: subscription?.id,
    path,
    event_id: envelope.id,
    body_sha256: createHash('sha256').update(body).digest('hex'),
    received: request.receivedAt,
    signed: Number(headers['x-svc-timestamp']) * 1_000,
    status: request.responseStatus,
    retry_after_ms: (request.retryAfterSeconds ?? 0) * 1_000,
    secret_version: headers['x-svc-secret-version'],
    signer: signers?.length === 1 ? signers[0]?.version : undefined,
    headers,
  };
}
