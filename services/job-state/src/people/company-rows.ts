import type { Queryable, Transaction } from '../database/database.js';
import type { CompanyRows } from '../database/table.js';
import { TABLES } from '../database/tables.js';
import type { StoredRow } from './erase-value.js';
import type { PersonPosition } from './person-rows.js';
import { ownerOf } from './redact-message.js';
import { eraseRows, readRows, type RowSource } from './rows-page.js';

const SOURCES: readonly (RowSource & { readonly isExported: boolean })[] = TABLES.flatMap(
  ({ name, person, company, shared = [] }) => {
    const key = person?.key ?? { id: 'text' };
    const source = ({ where = 'true', scanned, erased }: CompanyRows) => ({
      ...{ name, where, scanned, key, erased },
      isExported: !shared.some((each) => each.erased === erased),
    });
    return [...(company === undefined ? [] : [company]), ...shared].map(source);
  },
);

interface CompanyPage {
  readonly table: string;
  readonly rows: readonly StoredRow[];
  /** Undefined: it was the last page. */
  readonly next: PersonPosition | undefined;
}

/** Reads a page of what only a company can read. It may be empty although others follow. */
export async function readCompanyPage(
  database: Queryable,
  companyId: string,
  position: PersonPosition,
): Promise<CompanyPage> {
  const page = await readPage(database, companyId, position);
  return SOURCES[position.table]?.isExported === true ? page : { ...page, rows: [] };
}

/** Erases a page of the data of a company as {@link eraseRows} does. */
export async function eraseCompanyPage(
  tx: Transaction,
  companyId: string,
  position: PersonPosition,
): Promise<Omit<CompanyPage, 'rows'> & { readonly erasedRows: number }> {
  const { table, rows, next } = await readPage(tx, companyId, position);
  const of = SOURCES[position.table];
  return { table, next, erasedRows: of === undefined ? 0 : (await eraseRows(tx, of, rows)).length };
}

async function readPage(
  database: Queryable,
  companyId: string,
  { table, after }: PersonPosition,
): Promise<CompanyPage> {
  const of = SOURCES[table];
  if (of === undefined) return { table: '', rows: [], next: undefined };
  const page = await readRows(database, of, { values: { company: companyId }, after, isFew: false });
  const following = table + 1 < SOURCES.length ? { table: table + 1 } : undefined;
  return {
    table: of.name,
    rows: page.rows.filter((row) => isOwn(row, companyId)),
    next: page.after === undefined ? following : { table, after: [...page.after] },
  };
}

/** Whether a row belongs to a company: a message can name several. */
function isOwn({ type, body, message_id: messageId }: StoredRow, companyId: string): boolean {
  if (messageId === undefined || !Buffer.isBuffer(body)) return true;
  return (ownerOf(type, body) ?? companyId) === companyId;
}
