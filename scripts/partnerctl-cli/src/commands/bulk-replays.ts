import { type Command, Option } from '@commander-js/extra-typings';
import { type BulkReplay, REPLAYED_STATES } from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import {
  cancelReplayOperation,
  getReplayOperation,
  replayDeliveriesOperation,
} from '@partner/proto-contracts/resources/bulk-replay/operations';
import { counted } from '@partner/proto-contracts/api/counted';
import { invariant } from '@partner/kernel/process/invariant';
import { wholeNumber } from '@partner/local-stack/whole-number';
import { type CommandContext, demandYes, instant, subcommand } from '../command-context.js';
import { EXIT_CODES } from '../exit-codes.js';
import { columns, renderTable } from '../output.js';
import { pollUntil } from '../poll-until.js';

const REPLAY_LINES = columns(`
  id: replay.id, subscription: replay.subscriptionId, state: replay.state, queued: replay.queued,
  of: replay.total, a minute: replay.perMinute, began: replay.createdAt,
  finished: replay.finishedAt
`);

const PREVIEW_LINES = columns(`
  deliveries: preview.deliveries, and more: preview.atLeast, oldest: preview.oldest,
  newest: preview.newest, resources: preview.resourceCount
`);

export function addBulkReplayCommands(group: Command, context: CommandContext): void {
  const showReplay = (replay: BulkReplay) => context.output.thing({ replay }, REPLAY_LINES);

  subcommand(
    group,
    'replay-bulk <subscription>',
    'replay or retry deliveries in bulk: shows a preview, and starts with --yes',
    'whk_01j… --since 24h',
    'whk_01j… --since 24h --rate 60 --yes',
    'whk_01j… --since 24h --state retry_scheduled --yes',
  )
    .requiredOption(
      '--since <time>',
      'only deliveries created at this time or later: an instant, or 90m, 24h, 7d ago',
      instant,
    )
    .option('--until <time>', 'only deliveries created before this time (default: now)', instant)
    .addOption(
      new Option(
        '--state <state>',
        'only deliveries in this state; a dead-lettered one only if its event was not delivered since; retry_scheduled ones are retried now; both: dead_lettered and delivered',
      )
        .choices([...REPLAYED_STATES, 'both'])
        .default('dead_lettered' as const),
    )
    .option('--event <pattern>', 'only this event or group')
    .option('--rate <count>', 'maximum deliveries a minute', wholeNumber(1, 60_000), 600)
    .option('--no-wait', 'do not wait until all are queued')
    .option('--yes', 'do it')
    .action(async (subscriptionId, { since, until, state, event, rate, wait, yes }) => {
      const { call } = await context.about(subscriptionId);
      const body = {
        states: state === 'both' ? ['dead_lettered', 'delivered'] : [state],
        from: since.toISOString(),
        to: (until ?? new Date()).toISOString(),
        event,
        perMinute: rate,
      };
      const preview = await call(replayDeliveriesOperation, { body: { ...body, preview: true } });
      invariant('deliveries' in preview, 'a preview starts nothing');
      const count = preview.deliveries;
      if (yes !== true || count === 0) {
        context.output.thing(
          { preview },
          PREVIEW_LINES,
          count === 0
            ? 'There is nothing to replay.\n'
            : `\n${renderTable(preview.resources, columns('about: id, deliveries'))}\n\nNothing was queued: --yes queues them, ${rate} a minute.\n`,
        );
        return;
      }
      const replay = await call(replayDeliveriesOperation, { body: { ...body, preview: false } });
      invariant('id' in replay, 'a replay is started');
      const replayId = replay.id;
      if (!wait) {
        showReplay(replay);
        return;
      }
      const oldest = preview.oldest === null ? '' : `, the oldest of ${preview.oldest}`;
      context.progress(
        `${replayId}: ${counted(count, 'delivery', 'deliveries')}${oldest}; partnerctl deliveries cancel-bulk ${replayId} --yes stops it`,
      );
      let reported = -1;
      const ended = await pollUntil(
        'the bulk replay',
        { timeoutMs: Number.POSITIVE_INFINITY, everyMs: 500, signal: context.signal },
        async () => {
          const found = await call(getReplayOperation, { params: { id: replayId } });
          if (found.queued !== reported)
            context.progress(`${replayId}: ${found.queued} of ${found.total} queued`);
          reported = found.queued;
          return found.state === 'running' ? undefined : found;
        },
      );
      showReplay(ended);
      if (ended.state === 'cancelled') context.setExitCode(EXIT_CODES.failed);
    });

  subcommand(group, 'show-bulk <replay>', 'show the progress of a bulk replay', 'rpl_01j…').action(
    async (replayId) => {
      const { call } = await context.about(replayId);
      showReplay(await call(getReplayOperation));
    },
  );

  subcommand(
    group,
    'cancel-bulk <replay>',
    'stop a bulk replay; queued deliveries continue',
    'rpl_01j… --yes',
  )
    .option('--yes', 'do it')
    .action(async (replayId, { yes }) => {
      const { call } = await context.about(replayId);
      demandYes(yes, `this ends the bulk replay ${replayId}`);
      showReplay(await call(cancelReplayOperation));
    });
}
