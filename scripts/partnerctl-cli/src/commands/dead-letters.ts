import { createRegistry, fromBinary, type Registry, toJson } from '@bufbuild/protobuf';
import { file_partner_access_v1_access_service } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { file_partner_jobs_v1_contractor_job_service } from '@partner/proto-contracts/gen/partner/jobs/v1/contractor_job_service_pb';
import { file_partner_jobs_v1_job_service } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { file_partner_leads_v1_appointment_service } from '@partner/proto-contracts/gen/partner/leads/v1/appointment_service_pb';
import { file_partner_leads_v1_lead_service } from '@partner/proto-contracts/gen/partner/leads/v1/lead_service_pb';
import { PLATFORM_MESSAGES } from '@partner/proto-contracts/platform-messages';
import { file_partner_webhooks_v1_delivery } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { type DeadLetter, goThroughDeadLetters } from '@partner/kernel/amqp/dead-letters';
import { notFound } from '@partner/kernel/process/service-error';
import { wholeNumber } from '@partner/local-stack/whole-number';
import { type CommandContext, demandYes, topCommand, subcommand } from '../command-context.js';
import { countDeadLetters, QUEUES_WITH_DEAD, type QueueWithDead } from '../dead-letters-about.js';
import { EXIT_CODES, OperatorError, wrongUsage } from '../exit-codes.js';
import { columns, type Document, type Json, parseJson, renderBody } from '../output.js';
import { interrupted } from '../poll-until.js';
import { counted } from '@partner/proto-contracts/api/counted';

const LETTER_COLUMNS = columns('message id: messageId, type, died: diedAt, bytes, reason');

const QUEUE_COLUMNS = columns(`
  queue, dead letters: deadLetters, oldest: oldest.messageId, died: oldest.diedAt,
  reason: oldest.reason
`);

const LETTER_LINES = columns(`
  message id: messageId, type, died: diedAt, bytes, reason, request: headers.x-request-id,
  trace: headers.traceparent
`);

/** Maximum messages that a search for one inspects and holds. */
const LONGEST_SCAN = 10_000;

export function deadLettersCommand(context: CommandContext) {
  const group = topCommand(
    'dead-letters',
    'dead letters of the broker; listing does not remove them',
    'list',
    'list job-state.platform-messages',
  );

  async function go(
    queue: QueueWithDead,
    limit: number,
    judge: (letter: DeadLetter) => 'keep' | 'requeue' | 'discard',
  ) {
    const { connection, publisher } = await context.session();
    return goThroughDeadLetters({ connection, publisher }, queue, {
      limit,
      judge: (letter) => (context.signal.aborted ? 'keep' : judge(letter)),
      signal: context.signal,
    });
  }

  /** Fails if it is interrupted, because the list is incomplete. */
  async function readLetters(queue: QueueWithDead, limit: number): Promise<readonly DeadLetter[]> {
    const letters: DeadLetter[] = [];
    await go(queue, limit, (letter) => {
      letters.push(letter);
      return 'keep';
    });
    if (context.signal.aborted) throw interrupted();
    return letters;
  }

  async function countBehind(queue: QueueWithDead, limit: number): Promise<number> {
    const counts = await countDeadLetters((await context.session()).connection);
    return Math.max(0, (counts.get(queue) ?? 0) - limit);
  }

  subcommand(
    group,
    'list',
    'count the dead letters of each queue, or list those of one queue',
    '',
    'job-state.platform-messages --limit 10',
  )
    .argument('[queue]', 'a queue, with or without .dead; by default the counts of all queues')
    .option('--limit <count>', 'maximum number of messages, oldest first', wholeNumber(1, LONGEST_SCAN), 50)
    .action(async (name, { limit }) => {
      if (name !== undefined) {
        const queue = queueNamed(name);
        const hasMore = (await countBehind(queue, limit)) > 0;
        const letters = await readLetters(queue, limit);
        context.output.rows('deadLetters', letters.map(letterView), LETTER_COLUMNS, { hasMore });
        return;
      }
      const rows: Document[] = [];
      for (const [queue, count = null] of await countDeadLetters((await context.session()).connection)) {
        const [oldest] = count === null || count === 0 ? [] : await readLetters(queue, 1);
        const shown = oldest !== undefined && { oldest: letterView(oldest) };
        rows.push({ queue: queue.name, deadLetters: count, ...shown });
      }
      context.output.rows('queues', rows, QUEUE_COLUMNS);
    });

  subcommand(group, 'show', 'show one message', 'job-state.platform-messages 0d9c… --body')
    .argument('<queue>', 'a queue, with or without .dead')
    .argument('<message>', 'the message id')
    .option('--body', 'with its content, which may hold personal data')
    .action(async (name, messageId, { body: withBody }) => {
      const found = (await readLetters(queueNamed(name), LONGEST_SCAN)).find(
        (letter) => letter.messageId === messageId,
      );
      if (found === undefined) throw notFound(`dead letter among the first ${LONGEST_SCAN}`);
      const body =
        withBody === true
          ? { body: decodeMessage(found.type, found.body) ?? Buffer.from(found.body).toString('base64') }
          : {};
      context.output.thing(
        { ...letterView(found), headers: found.headers, ...body },
        LETTER_LINES,
        renderBody(body),
      );
    });

  for (const action of ['requeue', 'discard'] as const) {
    subcommand(
      group,
      action,
      action === 'requeue'
        ? 'put messages back into the queue that dead-lettered them, once the cause is fixed'
        : 'drop messages for good',
      'job-state.platform-messages 0d9c… --yes',
      'job-state.platform-messages --all --yes',
    )
      .argument('<queue>', 'a queue, with or without .dead')
      .argument('[messages...]', 'the message ids')
      .option('--all', 'all current messages')
      .option(
        '--limit <count>',
        'maximum number of messages to inspect',
        wholeNumber(1, 1_000_000),
        LONGEST_SCAN,
      )
      .option('--yes', 'do it')
      .action(async (name, messageIds, { all, limit, yes }) => {
        const queue = queueNamed(name);
        if ((all === true) === messageIds.length > 0) throw wrongUsage('give message ids, or --all');
        const isMeant = (letter: DeadLetter) => all === true || messageIds.includes(letter.messageId);
        const done = action === 'requeue' ? 'requeued' : 'discarded';
        const behind = all === true ? await countBehind(queue, limit) : 0;
        if (yes !== true) {
          const count = (await readLetters(queue, limit)).filter(isMeant).length;
          const rest = behind > 0 ? `, and ${behind} would remain` : '';
          demandYes(yes, `${counted(count, 'message')} of ${queue.deadLetterQueue} would be ${done}${rest}`);
        }
        context.progress(`going through ${queue.deadLetterQueue}`);
        const met = new Set<string>();
        const outcome = await go(queue, limit, (letter) => {
          met.add(letter.messageId);
          return isMeant(letter) ? action : 'keep';
        });
        const count = outcome[done];
        // Only an interruption leaves selected messages behind.
        const remaining = all === true ? behind + outcome.kept : 0;
        const missing = messageIds.filter((id) => !met.has(id));
        if (!context.signal.aborted && missing.length > 0)
          context.tell(`not found among the first ${limit}: ${missing.join(', ')}`);
        context.output.words(
          { queue: queue.name, [done]: count, ...(all === true && { remaining }) },
          `${counted(count, 'message')} of ${queue.deadLetterQueue} ${count === 1 ? 'was' : 'were'} ${done}.`,
        );
        if (context.signal.aborted) throw interrupted();
        if (missing.length > 0) throw notFound('dead letter');
        if (remaining > 0) {
          context.tell(
            `${counted(remaining, 'message remains', 'messages remain')}: repeat the same command, or raise --limit`,
          );
          context.setExitCode(EXIT_CODES.failed);
        }
      });
  }

  return group;
}

function queueNamed(name: string): QueueWithDead {
  const found = QUEUES_WITH_DEAD.find(
    ({ name: known, deadLetterQueue }) => name === known || name === deadLetterQueue,
  );
  if (found !== undefined) return found;
  const names = QUEUES_WITH_DEAD.map((queue) => queue.name);
  throw new OperatorError(
    'notFound',
    `there is no queue ${name} with dead letters; there are ${names.join(', ')}`,
  );
}

function letterView(letter: DeadLetter): Document {
  return {
    messageId: letter.messageId,
    type: letter.type,
    reason: letter.reason,
    ...(letter.diedAt !== undefined && { diedAt: letter.diedAt.toISOString() }),
    bytes: letter.body.byteLength,
  };
}

const KNOWN_MESSAGES: Registry = createRegistry(
  ...PLATFORM_MESSAGES,
  file_partner_webhooks_v1_delivery,
  file_partner_jobs_v1_contractor_job_service,
  file_partner_jobs_v1_job_service,
  file_partner_leads_v1_lead_service,
  file_partner_leads_v1_appointment_service,
  file_partner_access_v1_access_service,
);

/**
 * Decodes a message to protobuf JSON, without its sealed signing secrets. Undefined for an unknown type and for a body that is not
 * such a message.
 */
function decodeMessage(type: string, body: Uint8Array): Json | undefined {
  const schema = KNOWN_MESSAGES.getMessage(type);
  if (schema === undefined) return undefined;
  try {
    const text = JSON.stringify(
      toJson(schema, fromBinary(schema, body), { registry: KNOWN_MESSAGES }),
      (name, value: unknown) => (name === 'sealedSecret' ? undefined : value),
    );
    return parseJson(text);
  } catch {
    return undefined;
  }
}
