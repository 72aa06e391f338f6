import { webhookEnvelope } from '@partner/proto-contracts/events/webhook-events';
import { eventually } from '@partner/test-kit/eventually';
import { z } from 'zod';
import type { TestStack } from '../support/test-stack.js';
import { readMessage } from './messages.js';
import type { ModelState } from './state.js';
import { companiesOf, type World } from './world.js';

const storedEvent = z.object({
  id: z.string(),
  company_id: z.string(),
  name: z.string(),
  body: z.instanceof(Buffer),
});
const storedDelivery = z.object({ subscription_id: z.string(), event_id: z.string(), state: z.string() });

/**
 * Waits until nothing is in flight, then checks what follows from a run: each event once, with one delivery for each active
 * subscription that takes it, and a webhook with its very bytes; and each message to the platform once.
 */
export async function checkEffects(stack: TestStack, world: World, state: ModelState): Promise<string[]> {
  const { database, receiver } = stack;
  const companies = companiesOf(world);
  await eventually('every delivery is finished', async () => {
    const left = await database.query('select 1 from deliveries where company_id = any($1) limit 1', [
      companies,
    ]);
    return left.rowCount === 0;
  });
  await stack.platformIsUpToDate();
  const events = z
    .array(storedEvent)
    .parse(
      (
        await database.query(
          `select id, company_id, name, body from events where company_id = any($1) and name <> 'install.test'`,
          [companies],
        )
      ).rows,
    )
    .map(({ body, ...event }) => ({ ...event, body: body.toString('utf8') }));
  const deliveries = z
    .array(storedDelivery)
    .parse(
      (
        await database.query(
          'select subscription_id, event_id, state from all_deliveries where company_id = any($1) and not is_test',
          [companies],
        )
      ).rows,
    );
  const found = events.map(({ company_id: companyId, name, body }) => {
    const { resource, data } = webhookEnvelope.parse(JSON.parse(body));
    return { companyId, name, resourceId: resource.id, version: resource.version, data };
  });
  const ofWorld = (message: unknown) =>
    mentions(message, companies) || mentions(message, [...world.jobs.keys()]);
  const messages = new Map(stack.toPlatform.map((message) => [message.messageId, readMessage(message)]));
  return [
    ...differences('events', state.events, found),
    ...differences('messages to the platform', state.messages, [...messages.values()].filter(ofWorld)),
    ...world.subscriptions.flatMap(({ id, companyId, path, takes }) => {
      const due = events.filter((event) => event.company_id === companyId && takes(event.name));
      const ofSubscription = deliveries.filter(({ subscription_id }) => subscription_id === id);
      const received = receiver.received.filter(
        (webhook) => webhook.path === path && webhook.envelope.event !== 'install.test',
      );
      const accepted = new Map(
        received
          .filter(({ answeredStatus }) => answeredStatus < 300)
          .map(({ envelope, body }) => [envelope.id, body.toString('utf8')]),
      );
      const attempts = received.map(({ headers }) => headers['x-svc-delivery-id']);
      return [
        ...differences(
          `deliveries to ${path}`,
          due.map((event) => [event.id, 'delivered']),
          ofSubscription.map(({ event_id, state: end }) => [event_id, end]),
        ),
        ...differences(
          `webhooks at ${path}`,
          due.map((event) => event.body),
          [...accepted.values()],
        ),
        ...differences(`attempts at ${path}`, [...new Set(attempts)], attempts),
      ];
    }),
  ];
}

function mentions(message: unknown, ids: readonly string[]): boolean {
  const text = JSON.stringify(message);
  return ids.some((id) => text.includes(id));
}

/** What was found and not expected, and the other way round, with how many more or fewer there are. */
export function differences(what: string, expected: readonly unknown[], found: readonly unknown[]): string[] {
  const counts = new Map<string, number>();
  const count = (value: unknown, by: number) => {
    const text = JSON.stringify(sorted(value));
    counts.set(text, (counts.get(text) ?? 0) + by);
  };
  for (const value of found) count(value, 1);
  for (const value of expected) count(value, -1);
  return [...counts]
    .filter(([, more]) => more !== 0)
    .map(([text, more]) => `${what}: ${more} too many of ${text}`);
}

/** The value with the fields of its objects in alphabetical order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}
