import { Command } from '@commander-js/extra-typings';
import { wholeNumber } from '@partner/local-stack/whole-number';
import { type CommandContext, examples } from '../command-context.js';
import { EXIT_CODES } from '../exit-codes.js';
import { columns, type Document, renderLines, renderTable } from '../output.js';
import {
  readBacklog,
  dueToWorking,
  findProblems,
  inspectServiceQueues,
  seconds,
  THRESHOLDS,
} from '../inspect-system.js';

/** `partnerctl status`: backlogs and their age. */
export function statusCommand(context: CommandContext) {
  return new Command('status')
    .description('backlogs and their age: deliveries, messages, queues, dead letters')
    .option('--check', 'exit code 1 if a value is over its threshold')
    .option(
      '--max-due <seconds>',
      'threshold: the oldest due delivery to a healthy endpoint',
      wholeNumber(0, 1_000_000),
      THRESHOLDS.dueSeconds,
    )
    .option(
      '--max-outbox <seconds>',
      'threshold: the oldest message that the broker has not confirmed',
      wholeNumber(0, 1_000_000),
      THRESHOLDS.outboxSeconds,
    )
    .option(
      '--max-waiting <seconds>',
      'threshold: the oldest platform message that waits for its prerequisite',
      wholeNumber(0, 1_000_000),
      THRESHOLDS.waitingSeconds,
    )
    .option(
      '--max-dead <count>',
      'threshold: dead letters',
      wholeNumber(0, 1_000_000),
      THRESHOLDS.deadLetters,
    )
    .addHelpText(
      'after',
      examples(
        'partnerctl status',
        'partnerctl status --check --max-due 300',
        'partnerctl status --field stack.baseUrl',
      ),
    )
    .action(async ({ check, maxDue, maxOutbox, maxWaiting, maxDead }) => {
      const session = await context.session();
      const { backlog, numbers } = await readBacklog(session);
      const queues = await inspectServiceQueues(session);
      const problems = findProblems(queues, numbers, {
        ...THRESHOLDS,
        dueSeconds: maxDue,
        outboxSeconds: maxOutbox,
        waitingSeconds: maxWaiting,
        deadLetters: maxDead,
      });
      const stack = context.stack();
      if (context.isStackLeftOut())
        context.tell('this is not the local stack, which uses another broker: its address is not shown');
      const document: Document = {
        environment: backlog['environment'] ?? null,
        backlog,
        queues: queues.map((queue) => ({ ...queue })),
        problems: problems.map((problem) => ({ ...problem })),
        ...(stack !== undefined && { stack: { baseUrl: stack.baseUrl } }),
      };
      const age = (name: string) => {
        const value = numbers[name];
        return value === undefined ? '' : `, the oldest for ${seconds(value / 1_000)}`;
      };
      const count = (name: string) => String(numbers[name] ?? 0);
      const lines: Document = {
        environment: backlog['environment'] ?? '',
        'local stack': stack?.baseUrl ?? '',
        'deliveries due': `${dueToWorking(numbers)}${age('oldestDueMs')}`,
        'behind endpoints at capacity': `${count('busyDueDeliveries')}${age('oldestBusyDueMs')}`,
        'behind failing endpoints': `${count('failingDueDeliveries')}${age('oldestFailingDueMs')}`,
        'in flight': `${count('leasedDeliveries')}, ${count('expiredLeases')} without a result in time`,
        'waiting for a retry': count('waitingRetries'),
        'held by a pause': count('heldDeliveries'),
        'unconfirmed messages': `${count('outboxMessages')}${age('oldestOutboxMs')}`,
        'waiting messages of the platform': `${count('waitingPlatformMessages')}${age('oldestWaitingMs')}`,
        'degraded webhooks': count('degradedSubscriptions'),
        'webhooks with a failing endpoint': count('failingSubscriptions'),
        'connections to Postgres': `${count('databaseConnections')} of ${count('databaseConnectionsMax')}`,
      };
      const table = renderTable(
        queues.map((queue) => ({ ...queue, messages: queue.messages ?? 'not declared' })),
        columns('queue: name, messages, consumers, dead letters: deadLetters'),
      );
      const listed = problems.map(({ message, advice }) => `! ${message}\n  ${advice}\n`).join('');
      context
        .output()
        .words(
          document,
          `${renderLines(lines, columns(Object.keys(lines).join(', ')))}\n${table}\n\n${listed === '' ? 'Nothing is over a threshold.\n' : listed}`,
        );
      if (check === true && problems.length > 0) context.setExitCode(EXIT_CODES.failed);
    });
}
