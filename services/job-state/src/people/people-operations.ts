import {
  eraseCompanyOperation,
  erasePersonOperation,
  findPeopleOperation,
  listErasuresOperation,
  readCompanyDataOperation,
  readPersonDataOperation,
} from '@partner/proto-contracts/internal/operators/people';
import { type CallContext, type Implementation, implementInternal } from '@partner/kernel/amqp/implement';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { invalidArgument } from '@partner/kernel/process/validation';
import type { z } from 'zod';
import { callingActor, callingOperator } from '../audit/actor.js';
import { type Database, queryWithin } from '../database/database.js';
import { readCompanyPage } from './company-rows.js';
import { eraseCompany, readErasureObstacles } from './erase-company.js';
import { beginErasure, listErasures } from './erasures.js';
import { beginSearch, searchPosition, showFound, stepSearch } from './find-people.js';
import { personPosition, readPersonPage } from './person-rows.js';
import { shownRow } from './rows-page.js';

/** The operations with which operators find, export and erase the data of a customer or a company. */
export function peopleOperations(deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly logger: Pick<Logger, 'info'>;
  readonly clock: () => Date;
}): readonly Implementation[] {
  const within = ({ timeoutMs }: CallContext) => queryWithin(deps.database, { timeoutMs: timeoutMs() });
  return [
    implementInternal(findPeopleOperation, async ({ cursor, ...criteria }, context) => {
      const database = within(context);
      const position =
        cursor === undefined ? await beginSearch(database, criteria) : parseCursor(searchPosition, cursor);
      const { found, scanned, next } = await stepSearch(database, criteria, position);
      return next === undefined
        ? { scannedRows: scanned, found: { ...(await showFound(database, found)), records: found } }
        : { scannedRows: scanned, cursor: JSON.stringify(next) };
    }),
    implementInternal(readPersonDataOperation, async ({ records, cursor }, context) =>
      serializePage(await readPersonPage(within(context), records, rowsPosition(cursor))),
    ),
    implementInternal(erasePersonOperation, ({ erasureId, records }, { caller, timeoutMs }) =>
      beginErasure(
        deps,
        { erasureId, records, operator: callingOperator(caller), actor: callingActor(caller) },
        { timeoutMs: timeoutMs() },
      ),
    ),
    implementInternal(readCompanyDataOperation, async ({ companyId, cursor }, context) => {
      const database = within(context);
      const obstacles = cursor === undefined && (await readErasureObstacles(database, companyId));
      const page = await readCompanyPage(database, companyId, rowsPosition(cursor));
      return { ...serializePage(page), ...(obstacles !== false && { obstacles: [...obstacles] }) };
    }),
    implementInternal(eraseCompanyOperation, ({ erasureId, companyId }, { caller, timeoutMs }) =>
      eraseCompany(
        deps,
        { erasureId, companyId, operator: callingOperator(caller), actor: callingActor(caller) },
        { timeoutMs: timeoutMs() },
      ),
    ),
    implementInternal(listErasuresOperation, async ({ erasureId, limit = 50 }, context) => ({
      erasures: [...(await listErasures(within(context), { erasureId, limit }))],
    })),
  ];
}

function serializePage({ table, rows, next }: Awaited<ReturnType<typeof readPersonPage>>) {
  return {
    rows: rows.map((row) => ({ table, row: shownRow(row) })),
    ...(next !== undefined && { cursor: JSON.stringify(next) }),
  };
}

function rowsPosition(cursor: string | undefined) {
  return cursor === undefined ? { table: 0 } : parseCursor(personPosition, cursor);
}

function parseCursor<Schema extends z.ZodType>(schema: Schema, cursor: string): z.output<Schema> {
  try {
    return schema.parse(JSON.parse(cursor));
  } catch {
    throw invalidArgument([
      { path: 'cursor', message: 'must be the cursor of a previous response, unchanged' },
    ]);
  }
}
