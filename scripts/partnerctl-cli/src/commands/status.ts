import { setTimeout as delay } from 'node:timers/promises';
import { Option } from '@commander-js/extra-typings';
import { wholeNumber } from '@partner/local-stack/whole-number';
import { type CommandContext, topCommand } from '../command-context.js';
import { endingOf, EXIT_CODES } from '../exit-codes.js';
import { columns, type Document, duration, parseJson, renderLines, renderTable } from '../output.js';
import {
  dueToWorking,
  findProblems,
  inspectServiceQueues,
  readBacklog,
  THRESHOLDS,
} from '../inspect-system.js';

export function statusCommand(context: CommandContext) {
  return topCommand(
    'status',
    'backlogs and their age: deliveries, messages, queues, dead letters',
    '',
    '--watch',
    '--check --max-due 300',
    '--field stack.baseUrl',
  )
    .option('--check', 'exit code 1 if a value is over its threshold')
    .addOption(
      new Option('--watch [seconds]', 'show it again at this interval, until Ctrl-C')
        .argParser(wholeNumber(1, 3_600))
        .preset('2')
        .conflicts('check'),
    )
    .addOption(threshold('--max-due <seconds>', 'the oldest due delivery to a healthy endpoint', 'maxDue'))
    .addOption(
      threshold(
        '--max-outbox <seconds>',
        'the oldest message that the broker has not confirmed',
        'maxOutbox',
      ),
    )
    .addOption(
      threshold(
        '--max-waiting <seconds>',
        'the oldest platform message that waits for its prerequisite',
        'maxWaiting',
      ),
    )
    .addOption(threshold('--max-dead <count>', 'dead letters', 'maxDead'))
    .action(async ({ check, watch, ...thresholds }) => {
      const read = () => readStatus(context, thresholds);
      if (context.broker().isStackLeftOut)
        context.tell('this is not the local stack, which uses another broker: its address is not shown');
      if (watch !== undefined) return showAgain(context, watch, read);
      const { document, text, problems } = await read();
      context.output.words(document, text);
      if (check === true && problems.length > 0) context.setExitCode(EXIT_CODES.failed);
    });
}

function threshold<const Flags extends string>(flags: Flags, what: string, name: keyof typeof THRESHOLDS) {
  return new Option(flags, `threshold: ${what}`)
    .argParser(wholeNumber(0, 1_000_000))
    .default(THRESHOLDS[name]);
}

type Status = Awaited<ReturnType<typeof readStatus>>;

/** Shows the status until the run is interrupted. A failure after the first reading is shown, and the next reading follows. */
async function showAgain(context: CommandContext, everySeconds: number, read: () => Promise<Status>) {
  let status: Status | undefined = await read();
  for (;;) {
    if (status !== undefined) {
      context.clear();
      context.output.words(status.document, `${new Date().toLocaleTimeString()}\n\n${status.text}`);
    }
    await delay(everySeconds * 1_000, undefined, { signal: context.signal }).catch(() => undefined);
    if (context.signal.aborted) return;
    status = await read().catch((error: unknown) => {
      if (!context.signal.aborted) context.tell(endingOf(error).message ?? '');
      return undefined;
    });
  }
}

async function readStatus(context: CommandContext, thresholds: typeof THRESHOLDS) {
  const session = await context.session();
  const { backlog } = await readBacklog(session);
  const queues = await inspectServiceQueues(session);
  const problems = findProblems(queues, backlog, thresholds);
  const { stack } = context.broker();
  const document = {
    environment: backlog.environment,
    backlog: parseJson(JSON.stringify(backlog)),
    queues,
    problems,
    ...(stack !== undefined && {
      stack: {
        baseUrl: stack.baseUrl,
        receiver: stack.receiver,
        ...(stack.mail !== undefined && { mailLog: stack.mail.logFile }),
      },
    }),
  };
  const age = (milliseconds?: number) =>
    milliseconds === undefined ? '' : `, the oldest for ${duration(milliseconds)}`;
  const lines: Document = {
    environment: backlog.environment,
    'local stack': stack?.baseUrl ?? '',
    'deliveries due': `${dueToWorking(backlog)}${age(backlog.oldestDueMs)}`,
    'behind endpoints at capacity': `${backlog.busyDueDeliveries}${age(backlog.oldestBusyDueMs)}`,
    'behind failing endpoints': `${backlog.failingDueDeliveries}${age(backlog.oldestFailingDueMs)}`,
    'in flight': `${backlog.leasedDeliveries}, ${backlog.expiredLeases} without a result in time`,
    'waiting for a retry': backlog.waitingRetries,
    'held by a pause': backlog.heldDeliveries,
    'unconfirmed messages': `${backlog.outboxMessages}${age(backlog.oldestOutboxMs)}`,
    'waiting messages of the platform': `${backlog.waitingPlatformMessages}${age(backlog.oldestWaitingMs)}`,
    'degraded webhooks': backlog.degradedSubscriptions,
    'webhooks with a failing endpoint': backlog.failingSubscriptions,
    'connections to Postgres': `${backlog.databaseConnections} of ${backlog.databaseConnectionsMax}`,
  };
  const table = renderTable(
    queues.map((queue) => ({ ...queue, messages: queue.messages ?? 'not declared' })),
    columns('queue: name, messages, consumers, dead letters: deadLetters'),
  );
  const listed = problems.map(({ message, advice }) => `! ${message}\n  ${advice}\n`).join('');
  return {
    document,
    text: `${renderLines(lines, columns(Object.keys(lines).join(', ')))}\n${table}\n\n${listed === '' ? 'Nothing is over a threshold.\n' : listed}`,
    problems,
  };
}
