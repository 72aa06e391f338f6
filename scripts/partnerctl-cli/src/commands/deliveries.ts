import { Option } from '@commander-js/extra-typings';
import type { Attempt } from '@partner/proto-contracts/resources/attempt/attempt';
import { type Delivery, DELIVERY_STATES } from '@partner/proto-contracts/resources/delivery/delivery';
import {
  getDeliveryOperation,
  listCompanyDeliveriesOperation,
  listDeliveriesOperation,
  replayDeliveryOperation,
  retryDeliveryOperation,
} from '@partner/proto-contracts/resources/delivery/operations';
import { wholeNumber } from '@partner/local-stack/whole-number';
import { type CommandContext, instant, readPages, topCommand, subcommand } from '../command-context.js';
import { EXIT_CODES } from '../exit-codes.js';
import { columns, type Document, type Json, jsonIn, renderBody, renderTable } from '../output.js';
import { pollUntil } from '../poll-until.js';
import type { Owned } from '../session.js';
import { addBulkReplayCommands } from './bulk-replays.js';

export const nextAttempt = (path = '') => `next attempt: ${path}nextAttemptAt`;

const DELIVERY_COLUMNS = columns(`
  id, subscription: subscriptionId, event, state, attempts, status: lastAttempt.responseStatus,
  took ms: lastAttempt.durationMs, about: resource.id, created: createdAt, ${nextAttempt()}
`);

const DELIVERY_LINES = columns(`
  id: delivery.id, company: companyId, subscription: delivery.subscriptionId,
  event: delivery.event, event id: delivery.eventId, about: delivery.resource.id,
  state: delivery.state, attempts: delivery.attempts, created: delivery.createdAt,
  ${nextAttempt('delivery.')}, waits for: delivery.waitsFor, finished: delivery.finishedAt, repeats: delivery.replayOf,
  bulk replay: delivery.bulkReplayId, number: delivery.number
`);

const ATTEMPT_COLUMNS = columns(`
  attempt: number, x-svc-delivery-id: deliveryId, started: startedAt, took ms: durationMs, outcome,
  status: responseStatus, why: error, address: remoteAddress
`);

/** An attempt without the receiver's response, which may hold personal data. */
function attemptView({ responseBody: _, responseHeaders: __, ...rest }: Attempt): Document {
  return rest;
}

function showDelivery(
  context: CommandContext,
  shown: { readonly companyId: string; readonly delivery: Delivery; readonly attempts: readonly Document[] },
  body: { readonly body?: Json } = {},
): void {
  const { attempts } = shown;
  const table = attempts.length === 0 ? '' : `\n${renderTable(attempts, ATTEMPT_COLUMNS)}\n`;
  context.output.thing({ ...shown, ...body }, DELIVERY_LINES, table + renderBody(body));
}

/** Shows a queued delivery, after its next attempt unless `wait` is 0 seconds. Any other outcome than a success is a failure. */
export async function showNextAttempt(
  context: CommandContext,
  { call, companyId }: Owned,
  { queued, wait }: { readonly queued: Delivery; readonly wait: number },
): Promise<void> {
  if (wait === 0) return showDelivery(context, { companyId, delivery: queued, attempts: [] });
  context.progress(`waiting for an attempt of ${queued.id}`);
  const found = await pollUntil(
    `an attempt of ${queued.id}`,
    { timeoutMs: wait * 1_000, everyMs: 100, signal: context.signal },
    async () => {
      const read = await call(getDeliveryOperation, { params: { id: queued.id } });
      return read.delivery.attempts > queued.attempts ? read : undefined;
    },
  );
  const attempts = found.attempts.map(attemptView);
  showDelivery(context, { companyId, delivery: found.delivery, attempts });
  if (attempts.at(-1)?.['outcome'] !== 'delivered') context.setExitCode(EXIT_CODES.failed);
}

export function deliveriesCommand(context: CommandContext) {
  const group = topCommand(
    'deliveries',
    'webhook deliveries, and their replay',
    'show dlv_01j…',
    'replay-bulk whk_01j… --since 24h',
  );

  subcommand(
    group,
    'list',
    'list deliveries to a webhook or to all webhooks of a company, newest first',
    'whk_01j… --state dead_lettered --since 7d',
    'cmp_01j… --search WO-20418',
  )
    .argument('<id>', 'the id of a webhook or a company')
    .addOption(new Option('--state <state>', 'only deliveries in this state').choices(DELIVERY_STATES))
    .option('--event <pattern>', 'only this event or group')
    .option('--resource <id>', 'only events about this resource')
    .option('--search <text>', 'only the id of a delivery, event or resource, or a work order number')
    .option(
      '--since <time>',
      'only deliveries created at this time or later: an instant, or 90m, 24h, 7d ago',
      instant,
    )
    .option('--until <time>', 'only deliveries created before this time', instant)
    .option('--limit <count>', 'maximum number', wholeNumber(1, 10_000), 50)
    .action(async (given, { state, event, resource, search, since, until, limit }) => {
      const { call, companyId } = await context.about(given);
      const operation = given === companyId ? listCompanyDeliveriesOperation : listDeliveriesOperation;
      const query = {
        ...{ status: state, event, resourceId: resource, search },
        ...{ from: since?.toISOString(), to: until?.toISOString() },
      };
      const { entries, hasMore } = await readPages(limit, async (after, size) => {
        const page = await call(operation, { query: { ...query, limit: String(size) }, after });
        return { entries: page.deliveries, next: page.nextCursor };
      });
      context.output.rows('deliveries', entries, DELIVERY_COLUMNS, { hasMore });
    });

  subcommand(group, 'show', 'show a delivery with its attempts', 'dlv_01j…', 'dlv_01j… --body')
    .argument('<delivery>', 'its id, or the x-svc-delivery-id of one of its attempts')
    .option('--body', 'with the bodies of requests and responses; they can hold personal data')
    .action(async (given, { body: withBody }) => {
      const { call, companyId } = await context.about(given);
      const found = await call(getDeliveryOperation);
      const attempts = withBody === true ? found.attempts : found.attempts.map(attemptView);
      const body = withBody === true && found.body !== null ? { body: jsonIn(found.body) } : {};
      showDelivery(context, { companyId, delivery: found.delivery, attempts }, body);
    });

  for (const [name, operation, description] of [
    ['replay', replayDeliveryOperation, 'replay a finished delivery with up to 8 new attempts'],
    ['retry', retryDeliveryOperation, 'make the next scheduled attempt of a delivery now'],
  ] as const) {
    subcommand(group, name, description, 'dlv_01j… --wait 30')
      .argument('<delivery>', 'its id, or the x-svc-delivery-id of one of its attempts')
      .option('--wait <seconds>', 'wait for the attempt', wholeNumber(0, 600), 0)
      .action(async (given, { wait }) => {
        const about = await context.about(given);
        await showNextAttempt(context, about, { queued: await about.call(operation), wait });
      });
  }

  addBulkReplayCommands(group, context);
  return group;
}
