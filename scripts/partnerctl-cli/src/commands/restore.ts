import { checkRestoreOperation } from '@partner/proto-contracts/internal/operators/system';
import type { RestoreCheck } from '@partner/proto-contracts/resources/restore-check/restore-check';
import { PARTNER_EVENTS_FOR_PLATFORM, PLATFORM_MESSAGES } from '@partner/proto-contracts/topology';
import { invariant } from '@partner/kernel/process/invariant';
import { wholeNumber } from '@partner/local-stack/whole-number';
import { type CommandContext, readPages, subcommand, topCommand } from '../command-context.js';
import { inspectServiceQueues, type QueueState } from '../inspect-system.js';
import { columns, type Document, renderTable } from '../output.js';

export function restoreCommand(context: CommandContext) {
  const group = topCommand('restore', 'what is left to do after a restore from a backup', 'check');
  subcommand(
    group,
    'check',
    'compare database, broker and the cursors that were refused since; print what must be sent again',
    '',
    '--json',
  )
    .option('--limit <count>', 'maximum number of companies', wholeNumber(1, 100_000), 1_000)
    .action(async ({ limit }) => {
      const session = await context.session();
      let newest: RestoreCheck | undefined;
      const { entries, hasMore } = await readPages(limit, async (afterCompanyId, size) => {
        const page = await session.call(checkRestoreOperation, { afterCompanyId, limit: size });
        newest = page;
        return { entries: page.companies, next: page.hasMore ? page.companies.at(-1)?.id : undefined };
      });
      invariant(newest, 'a first page is read');
      const queues = await inspectServiceQueues(session);
      const { document, text } = describeRestore({ ...newest, companies: [...entries], hasMore }, queues);
      context.output.words(document, text);
    });
  return group;
}

/** A message of the platform can wait this long before it is applied, while the database is away. */
const APPLIED_WITHIN_MS = 3_600_000;

const COMPANY_COLUMNS = columns(`
  company: id, name, feed kept to: feed.kept, feed lost to: feed.seen, events kept to: events.kept, events lost to: events.seen
`);

const WEBHOOK_COLUMNS = columns(
  'webhook: id, company, sent again: unfinished, dead-lettered since: deadLettered',
);

const UNCOUNTED = 'an unknown number';

const UNKNOWN = `
Not known here
- What partners wrote after the restored time: they know it. Their idempotency keys are lost too, so a repeat is carried out.
- What the platform consumed of ${PARTNER_EVENTS_FOR_PLATFORM.name} after it: the platform has leads and changes that are lost here.
- Which readers with a lost position have not come back yet, and what webhooks were sent after it: receivers see x-svc-number jump.
- What was changed by hand after it (keys, people, secrets): the logs name it.
`;

/** What is left to do after a restore: facts for programs, and a text for people with the commands (decision RESTORE-4). */
export function describeRestore(
  check: RestoreCheck,
  queues: readonly QueueState[],
): { readonly document: Document; readonly text: string } {
  const { restoredTo, declaredAt, companies } = check;
  const stateOf = ({ name }: { readonly name: string }) => queues.find((queue) => queue.name === name);
  const messages = stateOf(PLATFORM_MESSAGES);
  const consumed = stateOf(PARTNER_EVENTS_FOR_PLATFORM);
  const from = new Date(new Date(restoredTo).getTime() - APPLIED_WITHIN_MS).toISOString();
  const webhooks = companies.flatMap(({ id: company, webhooks: found }) =>
    found.map((webhook) => ({ ...webhook, company })),
  );
  const replays = webhooks.flatMap(({ id, oldest }) =>
    oldest === null ? [] : [`partnerctl deliveries replay-bulk ${id} --since ${oldest} --yes`],
  );
  const requeue = `partnerctl dead-letters requeue ${PLATFORM_MESSAGES.name} --all --yes`;
  const hasDead = (messages?.deadLetters ?? 0) > 0;
  const commands = [...(hasDead ? [requeue] : []), ...replays];
  const document = {
    ...{ restoredTo, declaredAt, companies, hasMore: check.hasMore, commands },
    platform: { publishFrom: from, publishTo: declaredAt },
    queues,
  };
  const lines = [
    `Restored to ${restoredTo}, declared at ${declaredAt}.`,
    '',
    'The platform',
    `It must publish again what it published from ${from} to ${declaredAt}. Applied messages are recognized by their ids.`,
    `${PLATFORM_MESSAGES.name}: ${messages?.messages ?? UNCOUNTED} wait and are applied, ${messages?.deadLetters ?? UNCOUNTED} dead letters${hasDead ? '. Once the platform has published:' : '.'}`,
    ...(hasDead ? [`  ${requeue}`] : []),
    `${PARTNER_EVENTS_FOR_PLATFORM.name}: ${consumed?.messages ?? UNCOUNTED} wait. Those from after the restored time are about lost data.`,
    '',
    'Readers of feeds and events',
    renderTable(companies, COMPANY_COLUMNS),
    'Lost to: the highest lost number in a cursor that the service has refused since the restore. That reader starts again. Empty: none was refused.',
    ...(check.hasMore ? ['There are more companies: --limit shows them.'] : []),
    '',
    'Webhooks',
    ...(webhooks.length === 0
      ? ['No delivery from before the restore is unfinished, and none was dead-lettered since.']
      : [
          renderTable(webhooks, WEBHOOK_COLUMNS),
          'Sent again: unfinished deliveries from before the restore, which receivers may have already. They continue without help.',
        ]),
    ...(replays.length === 0
      ? []
      : ['Once their URLs and secrets are right again:', ...replays.map((line) => `  ${line}`)]),
  ];
  return { document, text: `${lines.join('\n')}\n${UNKNOWN}` };
}
