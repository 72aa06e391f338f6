import { createHash, randomUUID } from 'node:crypto';
import type { EventTrail } from '@partner/proto-contracts/resources/event/event';
import { getEventOperation, listEventsOperation } from '@partner/proto-contracts/resources/event/operations';
import {
  previewInboundEventReplayOperation,
  replayInboundEventsOperation,
} from '@partner/proto-contracts/resources/event-replay/operations';
import { listWebhooksOperation } from '@partner/proto-contracts/resources/subscription/operations';
import { wholeNumber } from '@partner/local-stack/whole-number';
import {
  type CommandContext,
  instant,
  listOf,
  readPages,
  subcommand,
  topCommand,
} from '../command-context.js';
import { wrongUsage } from '../exit-codes.js';
import { columns, type Document, jsonIn, renderBody, renderTable } from '../output.js';
import { nextAttempt } from './deliveries.js';

const EVENT_COLUMNS = columns(`
  id, event, summary, about: resource.id, version: resource.version, deliveries: deliveryStates,
  happened: occurredAt, recorded: committedAt
`);

const EVENT_LINES = columns(`
  id: event.id, company: companyId, event: event.event, summary: event.summary, about: event.resource.id,
  version: event.resource.version, happened: event.occurredAt, recorded: event.committedAt,
  schema version: event.schemaVersion, request: event.requestId
`);

const TRAIL_COLUMNS = columns(`
  subscription, name, outcome: verdict, delivery: delivery.id, state: delivery.state,
  attempts: delivery.attempts, ${nextAttempt('delivery.')}
`);

const REPLAY_COLUMNS = columns('id, subscription: subscriptionId, of: total, a minute: perMinute');

const PREVIEW_LINES = columns('and more: preview.atLeast, from: preview.from, to: preview.to');

const VERDICTS: Readonly<Record<EventTrail['verdict'], string>> = {
  queued: 'queued',
  paused: 'not queued: the subscription was paused',
  not_subscribed:
    'not queued: the subscription does not name the event or its group, or the event is about itself',
  schema_version: 'not queued: the subscription opted in to a different schema version',
  fields: 'not queued: none of the fields that the subscription names changed',
  class: 'not queued: companies of this class cannot receive the event',
  created_later: 'not queued: the subscription was created later',
  deleted: 'not queued: the subscription was deleted',
  no_longer_kept: 'no longer kept',
};

export function eventsCommand(context: CommandContext) {
  const group = topCommand(
    'events',
    'events of companies and their outcomes',
    'list cmp_01j… --resource job_01j…',
  );

  subcommand(
    group,
    'list <company>',
    "list a company's events, newest first",
    'cmp_01j… --resource job_01j…',
    "cmp_01j… --event 'install.*'",
  )
    .option('--event <pattern>', 'only this event or group')
    .option('--resource <id>', 'only events about this resource')
    .option('--limit <count>', 'maximum number', wholeNumber(1, 10_000), 50)
    .action(async (company, { event, resource, limit }) => {
      const { call } = await context.about(company);
      const { entries, hasMore } = await readPages(limit, async (after, size) => {
        const query = { event, resourceId: resource, limit: String(size) };
        const page = await call(listEventsOperation, { query, after });
        return { entries: page.events, next: page.nextCursor };
      });
      context.output.rows('events', entries, EVENT_COLUMNS, { hasMore });
    });

  subcommand(group, 'show <event>', 'show an event with its outcome for each subscription', 'evt_01j…')
    .option('--body', 'with the body that is sent, which may hold personal data')
    .action(async (eventId, { body: withBody }) => {
      const { call, companyId } = await context.about(eventId);
      const [found, { subscriptions }] = await Promise.all([
        call(getEventOperation),
        call(listWebhooksOperation),
      ]);
      const names = new Map(subscriptions.map(({ id, url, description }) => [id, description || url]));
      const body = withBody === true ? { body: jsonIn(found.body) } : {};
      context.output.thing(
        { companyId, event: found.event, subscriptions: found.subscriptions, ...body },
        EVENT_LINES,
        `\n${renderTrails(found.subscriptions, names)}${renderBody(body)}`,
      );
    });

  subcommand(
    group,
    'replay <id>',
    'send events to a webhook again, or to each active webhook of a company that receives some of them: shows a preview, and starts with --yes',
    'whk_01j… --ids evt_01j…',
    'whk_01j… --ids evt_01j…,evt_01k… --yes',
    "whk_01j… --since 24h --event 'install.*' --rate 60 --yes",
  )
    .option('--ids <list>', 'these events', listOf('ids of events'))
    .option(
      '--since <time>',
      'events recorded at this time or later: an instant, or 90m, 24h, 7d ago',
      instant,
    )
    .option('--until <time>', 'events recorded before this time (default: now)', instant)
    .option('--event <pattern>', 'only this event or group')
    .option('--rate <count>', 'maximum deliveries a minute', wholeNumber(1, 60_000), 600)
    .option('--yes', 'do it')
    .action(async (given, { ids, since, until, event, rate, yes }) => {
      if ((ids === undefined) === (since === undefined))
        throw wrongUsage(
          'say which events to send: either --ids evt_…,evt_…, or --since with a time such as 24h',
        );
      if (ids !== undefined && until !== undefined)
        throw wrongUsage('--until belongs to --since: leave it out, or use --since in place of --ids');
      if (given.startsWith('evt_'))
        throw wrongUsage(`${given} is an event: give the webhook or company to send to, and --ids ${given}`);
      const { call, companyId } = await context.about(given);
      const to = until ?? (since === undefined ? undefined : new Date());
      const body = {
        subscriptionId: given === companyId ? undefined : given,
        ...{ eventIds: ids, from: since?.toISOString(), to: to?.toISOString(), event, perMinute: rate },
      };
      if (yes !== true) {
        const preview = await call(previewInboundEventReplayOperation, { body });
        context.output.thing(
          { preview },
          PREVIEW_LINES,
          preview.webhooks.length === 0
            ? 'No active webhook receives any of these events.\n'
            : `\n${renderTable(preview.webhooks, columns('subscription: subscriptionId, events'))}\n\nNothing was queued: --yes queues them, ${rate} a minute.\n`,
        );
        return;
      }
      // A new key, since each run is another replay.
      const bodySha256 = createHash('sha256').update(JSON.stringify(body)).digest('hex');
      const idempotencyKey = { key: randomUUID(), request: 'partnerctl events replay', bodySha256 };
      const { replays } = await call(replayInboundEventsOperation, { body, idempotencyKey });
      context.output.rows('replays', replays, REPLAY_COLUMNS);
    });

  return group;
}

function renderTrails(trails: readonly EventTrail[], names: ReadonlyMap<string, string>): string {
  if (trails.length === 0) return 'The company has no subscription.\n';
  const rows = trails.flatMap((trail): Document[] => {
    const { subscriptionId: subscription } = trail;
    const shown = { subscription, name: names.get(subscription) ?? '', verdict: VERDICTS[trail.verdict] };
    return trail.deliveries.length === 0
      ? [shown]
      : trail.deliveries.map(({ delivery }) => ({ ...shown, delivery }));
  });
  return `${renderTable(rows, TRAIL_COLUMNS)}\n`;
}
