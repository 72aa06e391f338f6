import type { ServiceImpl } from '@connectrpc/connect';
import type {
  OperatorService,
  PersonRecords as PersonRecordsMessage,
} from '@partner/proto-contracts/gen/partner/operator/v1/operator_service_pb';
import type { PersonDataPage } from '@partner/proto-contracts/resources/person/person';
import type { Logger } from '@partner/kernel/logger';
import { invalidArgument } from '@partner/kernel/validation';
import type { z } from 'zod';
import { type Database, queryWithin } from '../database/database.js';
import { operatorActor } from '../audit/operator-actor.js';
import { pageSize } from '../rpc/page-size.js';
import { required } from '../rpc/required.js';
import { readCompanyPage } from './company-rows.js';
import { eraseCompany, readErasureObstacles } from './erase-company.js';
import { beginErasure, listErasures } from './erasures.js';
import { beginSearch, searchPosition, showFound, stepSearch } from './find-people.js';
import { personPosition, type PersonRecords, readPersonPage } from './person-rows.js';
import { shownRow } from './rows-page.js';

/** Creates the RPCs with which operators find, export and erase the data of a customer or a company. */
export function createPeopleRpcs(deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly logger: Pick<Logger, 'info'>;
  readonly clock: () => Date;
}) {
  return {
    async findPeople(request, context) {
      const database = queryWithin(deps.database, { timeoutMs: context.timeoutMs() });
      const position =
        request.cursor === undefined
          ? await beginSearch(database, request)
          : parseCursor(searchPosition, request.cursor);
      const { found, scanned, next } = await stepSearch(database, request, position);
      if (next !== undefined) return { scannedRows: String(scanned), cursor: JSON.stringify(next) };
      return {
        scannedRows: String(scanned),
        records: recordsMessage(found),
        resourceJson: JSON.stringify(await showFound(database, found)),
      };
    },

    async readPersonData(request, context) {
      const database = queryWithin(deps.database, { timeoutMs: context.timeoutMs() });
      const position =
        request.cursor === undefined ? { table: 0 } : parseCursor(personPosition, request.cursor);
      const records = givenRecords(required(request.records, 'records'));
      return pageResponse(await readPersonPage(database, records, position));
    },

    async erasePerson(request, context) {
      const erasure = await beginErasure(
        deps,
        {
          erasureId: required(request.erasureId, 'erasure_id'),
          records: givenRecords(required(request.records, 'records')),
          operator: required(request.operator, 'operator'),
          actor: operatorActor(request),
        },
        { timeoutMs: context.timeoutMs() },
      );
      return { resourceJson: JSON.stringify(erasure) };
    },

    async readCompanyData(request, context) {
      const database = queryWithin(deps.database, { timeoutMs: context.timeoutMs() });
      const position =
        request.cursor === undefined ? { table: 0 } : parseCursor(personPosition, request.cursor);
      const companyId = required(request.companyId, 'company_id');
      const obstacles =
        request.cursor === undefined ? await readErasureObstacles(database, companyId) : undefined;
      return pageResponse(await readCompanyPage(database, companyId, position), obstacles);
    },

    async eraseCompany(request, context) {
      const erasure = await eraseCompany(
        deps,
        {
          erasureId: required(request.erasureId, 'erasure_id'),
          companyId: required(request.companyId, 'company_id'),
          operator: required(request.operator, 'operator'),
          actor: operatorActor(request),
        },
        { timeoutMs: context.timeoutMs() },
      );
      return { resourceJson: JSON.stringify(erasure) };
    },

    async listErasures(request, context) {
      const database = queryWithin(deps.database, { timeoutMs: context.timeoutMs() });
      const erasures = await listErasures(database, {
        erasureId: request.erasureId,
        limit: pageSize(request.limit),
      });
      return { resourceJson: JSON.stringify({ erasures }) };
    },
  } satisfies Partial<ServiceImpl<typeof OperatorService>>;
}

function pageResponse(
  { table, rows, next }: Awaited<ReturnType<typeof readPersonPage>>,
  obstacles?: readonly string[],
) {
  const page: PersonDataPage = {
    rows: rows.map((row) => ({ table, row: shownRow(row) })),
    ...(obstacles !== undefined && { obstacles: [...obstacles] }),
  };
  return {
    resourceJson: JSON.stringify(page),
    ...(next !== undefined && { cursor: JSON.stringify(next) }),
  };
}

function givenRecords(message: PersonRecordsMessage): PersonRecords {
  return {
    leads: message.leadIds,
    projects: message.projectIds,
    jobs: message.jobIds,
    appointments: message.appointmentIds,
    facts: message.factIds,
  };
}

function recordsMessage({ leads, projects, jobs, appointments, facts }: PersonRecords) {
  return { leadIds: leads, projectIds: projects, jobIds: jobs, appointmentIds: appointments, factIds: facts };
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
