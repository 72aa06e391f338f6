import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type IdPrefix, idFloor, newId } from '@partner/kernel/process/ids';
import {
  AttemptOutcome,
  DeliveriesAttemptedSchema,
  type DeliveryAttemptedSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { z } from 'zod';
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { subscriptionList } from '@partner/proto-contracts/resources/subscription/subscription';
import { COMMANDS, DELIVERY_RESULTS } from '@partner/proto-contracts/topology';
import { withPostgres } from '@partner/test-kit/backing-services/postgres';
import { connectPublisher } from '../demo/platform.js';
import { createStackClient, type StackClient } from '../demo/stack-client.js';
import type { SandboxCompany, StackDescription } from '../stack/stack-description.js';

const EXAMPLES = [
  { description: 'Example: healthy', path: '/healthy', durationMs: 40 },
  { description: 'Example: slow', path: '/slow/1500', durationMs: 1_520 },
  { description: 'Example: failing', path: '/down/503', durationMs: 30 },
] as const;

type Client = Parameters<Parameters<typeof withPostgres>[1]>[0];
type Publisher = Awaited<ReturnType<typeof connectPublisher>>;

/**
 * Seeds each company that has no webhooks with three, and with days of deliveries to them.
 *
 * The console creates, tests and activates the webhooks. SQL writes only what lies in the past: copies of the company's events and
 * their deliveries. job-state receives the results of the attempts over the broker as from a dispatcher, and so writes attempts,
 * dead letters, health and statistics itself. The newest event is due now: the dispatcher delivers it.
 */
export async function seedWebhooks(description: StackDescription, signal: AbortSignal): Promise<void> {
  // Every webhook of every company waits at the same time.
  setMaxListeners(100, signal);
  const stack = createStackClient(description, signal);
  const publisher = await connectPublisher(description.amqpUrl, 'example webhooks', signal);
  try {
    const seeded = description.companies.map((company) =>
      withPostgres(description.postgresUrl, (client) => seedCompany(stack, company, { client, publisher })),
    );
    await Promise.all(seeded);
  } finally {
    await publisher.close();
  }
}

async function seedCompany(
  stack: StackClient,
  company: SandboxCompany,
  { client, publisher }: { readonly client: Client; readonly publisher: Publisher },
): Promise<void> {
  const owner = await stack.signIn(company);
  const { data } = await stack.call('/partner-api/webhooks', owner, [200, subscriptionList]);
  if (data.subscriptions.length > 0) return;
  const history = await historyOf(client, company.id);
  const groups = new Set(history.map(({ name }) => name.replace(/\..*/, '.*')));
  const hooks = await Promise.all(
    EXAMPLES.map(async ({ description, path, durationMs }) => {
      const at = `${path}/${company.id}`;
      const id = await stack.subscribe(owner, at, { events: [...groups], description });
      await stack.sendTest(owner, id);
      await stack.activate(owner, id);
      return { id, durationMs, isDown: path.startsWith('/down/') };
    }),
  );
  const deliveries = hooks.flatMap((hook) =>
    history.map((event) => ({ id: idAt('dlv', event.at), event, hook })),
  );
  await insertDeliveries(client, deliveries);
  const past = deliveries.filter(({ event }) => !event.isNewest);
  const results = past.flatMap(resultsOf);
  await publisher.publish({
    exchange: COMMANDS,
    routingKey: DELIVERY_RESULTS.bindings[0].routingKey,
    messageId: randomUUID(),
    type: DeliveriesAttemptedSchema.typeName,
    body: toBinary(DeliveriesAttemptedSchema, create(DeliveriesAttemptedSchema, { results })),
  });
  const ids = past.map(({ id }) => id);
  await stack.until('job-state has recorded the deliveries of the past', async () => {
    const unfinished = await client.query('select 1 from deliveries where id = any($1) limit 1', [ids]);
    return unfinished.rowCount === 0;
  });
  await moveIntoPast(client, ids);
}

/** Inserts deliveries. Those of the past are not due before their results arrive. */
async function insertDeliveries(client: Client, deliveries: readonly ExampleDelivery[]): Promise<void> {
  const rows = deliveries.map(({ id, hook, event }) => ({
    ...{ id, subscription_id: hook.id, event_id: event.id, is_due: event.isNewest },
  }));
  await client.query(
    `insert into deliveries (id, subscription_id, company_id, event_id, event, resource_type, resource_id, created_at, next_attempt_at)
     select made.id, made.subscription_id, event.company_id, event.id, event.name, event.resource_type, event.resource_id,
       event.created_at, case when made.is_due then now() else now() + interval '1 hour' end
     from jsonb_to_recordset($1) as made (id text, subscription_id text, event_id text, is_due boolean)
     join events event on event.id = made.event_id`,
    [JSON.stringify(rows)],
  );
}

async function moveIntoPast(client: Client, ids: readonly string[]): Promise<void> {
  await client.query(
    `with ended as (
       select delivery_id, max(started_at + duration_ms * interval '1 ms') as at
       from delivery_attempts where delivery_id = any($1) group by delivery_id
     ), finished as (
       update finished_deliveries d set finished_at = ended.at from ended where d.id = ended.delivery_id
       returning d.subscription_id, d.created_at
     )
     update subscriptions s set created_at = oldest.at
     from (select subscription_id, min(created_at) as at from finished group by subscription_id) as oldest
     where s.id = oldest.subscription_id`,
    [ids],
  );
}

const HOUR_MS = 3_600_000;
/** Longer than the eight attempts of a delivery take. */
const EVERY_MS = 4 * HOUR_MS;
const EVENTS = 30;
/** The failing receiver works before this time. */
const DOWN_FOR_MS = 24 * HOUR_MS;
const FIRST_RETRY_MS = 60_000;

interface ExampleDelivery {
  readonly id: string;
  readonly event: Pick<ExampleEvent, 'id' | 'at' | 'isNewest'>;
  readonly hook: { readonly id: string; readonly durationMs: number; readonly isDown: boolean };
}

type ExampleEvent = Awaited<ReturnType<typeof historyOf>>[number];

const storedEvents = z.array(z.object({ id: z.string(), name: z.string(), body: z.instanceof(Buffer) }));
const envelope = z.looseObject({ id: z.string(), occurredAt: z.string() });

/** Copies the newest events of a company, one for every four hours until now, oldest first. */
async function historyOf(client: Client, companyId: string) {
  const { rows } = await client.query(
    'select id, name, body from events where company_id = $1 order by id desc limit $2',
    [companyId, EVENTS],
  );
  const now = Date.now();
  const made = storedEvents
    .parse(rows)
    .map(({ id: copyOf, name, body }, index) => {
      const at = new Date(now - index * EVERY_MS);
      const id = idAt('evt', at);
      const given = envelope.parse(JSON.parse(body.toString('utf8')));
      const copy = JSON.stringify({ ...given, id, occurredAt: at.toISOString() });
      return { id, copyOf, name, at, isNewest: index === 0, body: copy };
    })
    .reverse();
  await client.query(
    `insert into events (id, company_id, name, schema_version, occurred_at, resource_type, resource_id, resource_version, body, created_at, sequence)
     select made.id, company_id, copied.name, schema_version, made.at, resource_type, resource_id, resource_version,
       convert_to(made.body, 'UTF8'), made.at, 0
     from jsonb_to_recordset($1) as made (id text, "copyOf" text, at timestamptz, body text)
     join events copied on copied.id = made."copyOf"`,
    [JSON.stringify(made)],
  );
  return made;
}

/** The results of all attempts of a delivery of the past, at the times of the retry schedule. */
function resultsOf({ id, event, hook }: ExampleDelivery): MessageInitShape<typeof DeliveryAttemptedSchema>[] {
  const fails = hook.isDown && Date.now() - event.at.getTime() < DOWN_FOR_MS;
  return Array.from({ length: fails ? LIMITS.webhookAttempts : 1 }, (_, index) => {
    const startedAt = new Date(event.at.getTime() + FIRST_RETRY_MS * (2 ** index - 1));
    return {
      deliveryId: id,
      leaseId: id,
      urlVersion: 1,
      attempt: {
        deliveryId: idAt('dlv', startedAt),
        number: index + 1,
        startedAt: timestampFromDate(startedAt),
        durationMs: hook.durationMs + (event.at.getUTCHours() + index) * 3,
        outcome: fails ? AttemptOutcome.REJECTED : AttemptOutcome.DELIVERED,
        responseStatus: fails ? 503 : 200,
        responseBody: Buffer.from(JSON.stringify({ received: !fails })),
        secretVersion: 1,
      },
    };
  });
}

function idAt(prefix: IdPrefix, at: Date): string {
  return idFloor(prefix, at).slice(0, -16) + newId(prefix).slice(-16);
}
