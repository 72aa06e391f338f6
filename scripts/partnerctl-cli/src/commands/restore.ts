import { checkRestoreOperation } from '@partner/proto-contracts/internal/operators/system';
import type { RestoreCheck } from '@partner/proto-contracts/resources/restore-check/restore-check';
import { invariant } from '@partner/kernel/process/invariant';
import { wholeNumber } from '@partner/local-stack/whole-number';
import { type CommandContext, readPages, subcommand, topCommand } from '../command-context.js';
import { inspectServiceQueues } from '../inspect-system.js';
import { describeRestore } from '../restore/describe-restore.js';

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
