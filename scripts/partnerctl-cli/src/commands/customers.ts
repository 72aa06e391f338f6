import { createHash } from 'node:crypto';
import {
  erasePersonOperation,
  findPeopleOperation,
  listErasuresOperation,
  type CustomerRecords,
  readPersonDataOperation,
} from '@partner/proto-contracts/internal/operators/customers';
import type { CustomersFound, Erasure } from '@partner/proto-contracts/resources/customer/customer';
import { ERASED_TEXT } from '@partner/proto-contracts/values/redacted';
import { newId } from '@partner/kernel/process/ids';
import { notFound } from '@partner/kernel/process/service-error';
import { wholeNumber } from '@partner/local-stack/whole-number';
import { type CommandContext, subcommand, topCommand } from '../command-context.js';
import { countRows, pagesOf, ROW_COLUMNS } from './company-data.js';
import { deadLettersAbout, type LetterAbout, renderLetters } from '../dead-letters-about.js';
import { EXIT_CODES, wrongUsage } from '../exit-codes.js';
import { columns, type Json, jsonText, parseJson, renderTable } from '../output.js';
import { interrupted, pollUntil } from '../poll-until.js';

const MATCH_COLUMNS = columns(
  'type, id, company: companyId, name, email, phone, address, project: projectId',
);
const ERASURE_COLUMNS = columns(
  'id, requested: requestedAt, finished: finishedAt, by: operator, company: companyId, leads: leadIds, projects: projectIds, jobs: jobIds',
);
const ERASURE_LINES = columns(`
  erasure: erasure.id, requested: erasure.requestedAt, finished: erasure.finishedAt, by: erasure.operator,
  leads: erasure.leadIds, projects: erasure.projectIds, jobs: erasure.jobIds, erased rows: erasure.erasedRows
`);
/** An erasure waits for open transactions and attempts in flight. It continues without this command. */
const ERASURE_WAIT_MS = 600_000;

type Criteria = Readonly<
  Partial<Record<'email' | 'phone' | 'address' | 'id' | 'company', string | undefined>>
>;

export function customersCommand(context: CommandContext) {
  const group = topCommand(
    'customers',
    "a customer's personal data: find, export, erase",
    'find --email ada@customers.example',
    'erase --id prj_01j…',
  ).alias('people');
  const about = (name: string, description: string, ...lines: readonly string[]) =>
    subcommand(group, name, description, ...lines)
      .option('--email <email>', 'records with this email address; case makes no difference')
      .option(
        '--phone <number>',
        'records with this phone number, in any notation; an extension that is given must be the same',
      )
      .option('--address <text>', 'records with this address, compared as leads are merged')
      .option('--id <id>', 'the records of this lead, project or job')
      .option('--company <company>', 'only records of this selling company');

  about(
    'find',
    'list the leads and jobs of a customer',
    '--phone "+1 512 555 0100" --company cmp_01j…',
  ).action(async (criteria) => {
    const { matches, letters } = await find(context, criteria);
    context.output.words(
      { matches, deadLetters: letters },
      renderTable(matches, MATCH_COLUMNS) + renderLetters(letters),
    );
  });

  about(
    'export',
    'write everything that is stored about a customer as JSON',
    '--email a@b.example > a.json',
  ).action(async (criteria) => {
    const { records, letters } = await find(context, criteria);
    const tables = new Map<string, Json[]>();
    for await (const { rows } of dataPages(context, records))
      for (const { table, row } of rows)
        tables.set(table, [...(tables.get(table) ?? []), parseJson(JSON.stringify(row))]);
    const exported = {
      exportedAt: new Date().toISOString(),
      ...Object.fromEntries(tables),
      deadLetters: letters,
    };
    context.output.file(exported, jsonText(exported, 2));
  });

  about(
    'erase',
    'show what an erasure would change; with --confirm erase the personal data of a customer for good',
    '--email ada@customers.example',
    '--email ada@customers.example --confirm 5f0c21ab',
  )
    .option('--confirm <code>', 'the code of the preview: erase exactly these records')
    .action(async (criteria, command) => {
      const { confirm } = command.opts();
      const found = await find(context, criteria);
      const code = codeOf(found.records);
      if (confirm === undefined) {
        await preview(context, found, code);
        return;
      }
      if (confirm !== code)
        throw wrongUsage(`the code of these records is not ${confirm}: check the preview again`);
      const erased = await erase(context, found.records);
      const letters = await deadLetters(context, found);
      context.output.thing({ erasure: erased, deadLetters: letters }, ERASURE_LINES, renderLetters(letters));
      if (letters.length > 0) context.setExitCode(EXIT_CODES.failed);
    });

  subcommand(group, 'erasures', 'list erasures with their records, newest first', '', '--limit 10')
    .option('--limit <count>', 'maximum number', wholeNumber(1, 100), 50)
    .action(async ({ limit }) => {
      const { erasures } = await context.call(listErasuresOperation, { limit });
      context.output.rows('erasures', erasures, ERASURE_COLUMNS);
    });

  return group;
}

interface Found {
  readonly records: CustomerRecords;
  readonly matches: CustomersFound['matches'];
  readonly criteria: Omit<Criteria, 'company'>;
  readonly letters: readonly LetterAbout[];
}

async function find(context: CommandContext, { company, ...criteria }: Criteria): Promise<Found> {
  let cursor: string | undefined;
  for (;;) {
    if (context.signal.aborted) throw interrupted();
    const step = await context.call(findPeopleOperation, { ...criteria, companyId: company, cursor });
    ({ cursor } = step);
    if (cursor !== undefined) {
      context.progress(`searching: rows so far: ${step.scannedRows}`);
      continue;
    }
    const { records, matches } = step.found ?? {};
    if (records === undefined || matches === undefined || idsOf(records).length === 0)
      throw notFound('customer');
    const found = { records, matches, criteria };
    return { ...found, letters: await deadLetters(context, found) };
  }
}

function deadLetters(
  context: CommandContext,
  { records, matches, criteria }: Omit<Found, 'letters'>,
): Promise<readonly LetterAbout[]> {
  const contacts = matches.flatMap(({ email, phone, address }) => [email ?? '', phone, address]);
  const given = Object.values(criteria).filter((text) => text !== undefined);
  const texts = [...given, ...contacts, ...idsOf(records)].filter(
    (text) => text !== '' && !text.includes(ERASED_TEXT),
  );
  return deadLettersAbout(context, texts);
}

function idsOf({ leads, projects, jobs, appointments }: CustomerRecords): readonly string[] {
  return [...leads, ...projects, ...jobs, ...appointments].sort();
}

function codeOf(records: CustomerRecords): string {
  return createHash('sha256').update(idsOf(records).join()).digest('hex').slice(0, 8);
}

function dataPages(context: CommandContext, records: CustomerRecords) {
  return pagesOf(context, (cursor) => context.call(readPersonDataOperation, { records, cursor }));
}

async function preview(
  context: CommandContext,
  { records, matches, letters }: Found,
  code: string,
): Promise<void> {
  const { rows } = await countRows(dataPages(context, records));
  context.output.words(
    { matches, rows, deadLetters: letters, confirm: code },
    [
      renderTable(matches, MATCH_COLUMNS),
      renderTable(rows, ROW_COLUMNS),
      `Nothing was erased. --confirm ${code} erases the personal data in these rows for good.`,
    ].join('\n\n') + renderLetters(letters),
  );
}

async function erase(context: CommandContext, records: CustomerRecords): Promise<Erasure> {
  const { id: erasureId } = await context.call(erasePersonOperation, { erasureId: newId('ers'), records });
  context.tell(`erasure ${erasureId} has begun; it continues if this command ends`);
  return pollUntil(
    `erasure ${erasureId}`,
    { timeoutMs: ERASURE_WAIT_MS, everyMs: 200, signal: context.signal },
    async () => {
      const [found] = (await context.call(listErasuresOperation, { erasureId })).erasures;
      return found?.finishedAt === null ? undefined : found;
    },
  );
}
