import {
  eraseCompanyOperation,
  readCompanyDataOperation,
} from '@partner/proto-contracts/internal/operators/customers';
import type { CustomerDataPage } from '@partner/proto-contracts/resources/customer/customer';
import { newId } from '@partner/kernel/process/ids';
import { type CommandContext, subcommand } from '../command-context.js';
import { deadLettersAbout, renderLetters } from '../dead-letters-about.js';
import { EXIT_CODES } from '../exit-codes.js';
import { columns, jsonText, renderTable } from '../output.js';
import { interrupted } from '../poll-until.js';

export const ROW_COLUMNS = columns('table, rows');
const ERASURE_LINES = columns(
  'erasure: erasure.id, company: erasure.companyId, requested: erasure.requestedAt, finished: erasure.finishedAt',
);

export function addCompanyData(group: Parameters<typeof subcommand>[0], context: CommandContext): void {
  subcommand(
    group,
    'export <company>',
    'write everything that only this company can read, one JSON object a line',
    'cmp_01j… > peak.jsonl',
  ).action(async (companyId) => {
    for await (const { rows } of companyPages(context, companyId))
      for (const row of rows) context.write(`${jsonText(row)}\n`);
  });

  subcommand(
    group,
    'erase <company>',
    "count the rows of a company and say what its erasure waits for; with --yes end its sign-ins, keys and webhooks and erase its people's and customers' data for good",
    'cmp_01j…',
    'cmp_01j… --yes',
  )
    .option('--yes', 'do it')
    .action(async (companyId, { yes }) => {
      if (yes !== true) {
        const { rows, obstacles } = await countRows(companyPages(context, companyId));
        const text = [
          'Nothing was erased. --yes ends all access of this company and erases its data for good.',
          ...obstacles.map((obstacle) => `It refuses at the moment: the company ${obstacle}.`),
        ].join('\n');
        const letters = await deadLettersAbout(context, [companyId]);
        context.output.words(
          { companyId, rows, obstacles, deadLetters: letters },
          `${renderTable(rows, ROW_COLUMNS)}\n\n${text}${renderLetters(letters)}`,
        );
        return;
      }
      const erasure = await context.call(eraseCompanyOperation, { erasureId: newId('ers'), companyId });
      const letters = await deadLettersAbout(context, [companyId]);
      context.output.thing({ erasure, deadLetters: letters }, ERASURE_LINES, renderLetters(letters));
      context.tell('its access has ended; `partnerctl customers erasures` shows when its data is erased');
      if (letters.length > 0) context.setExitCode(EXIT_CODES.failed);
    });
}

/** Reads what is stored of a company. Fails with `not_found`. */
async function* companyPages(context: CommandContext, companyId: string) {
  await context.about(companyId);
  yield* pagesOf(context, (cursor) => context.call(readCompanyDataOperation, { companyId, cursor }));
}

/** Reads pages to the last one, so that no more than one is held. */
export async function* pagesOf<Page extends { readonly cursor?: string | undefined }>(
  context: CommandContext,
  read: (cursor: string | undefined) => Promise<Page>,
): AsyncGenerator<Page> {
  let cursor: string | undefined;
  do {
    if (context.signal.aborted) throw interrupted();
    const page = await read(cursor);
    yield page;
    ({ cursor } = page);
    context.progress(`reading: ${cursor ?? 'done'}`);
  } while (cursor !== undefined);
}

/** Counts the rows of each table, and collects what keeps a company from being erased now. */
export async function countRows(pages: AsyncIterable<CustomerDataPage>) {
  const counts = new Map<string, number>();
  const obstacles: string[] = [];
  for await (const page of pages) {
    for (const { table } of page.rows) counts.set(table, (counts.get(table) ?? 0) + 1);
    obstacles.push(...(page.obstacles ?? []));
  }
  return { rows: [...counts].map(([table, rows]) => ({ table, rows })), obstacles };
}
