import type { Caller } from '@partner/proto-contracts/call';
import {
  appendJobNoteOperation,
  listContractorJobsOperation,
} from '@partner/proto-contracts/resources/contractor-job/operations';
import { type Implementation, implement } from '@partner/kernel/amqp/implement';
import { invariant } from '@partner/kernel/process/invariant';
import { type Database, queryWithin } from '../database/database.js';
import type { WriteDeps } from '../idempotency/run-idempotent.js';
import { appendJobNote } from './append-job-note.js';
import { type ContractorJobBoundary, listContractorJobs } from './contractor-job.js';

/** The operations with which contractors follow the jobs that they sold. */
export function contractorJobOperations(
  deps: WriteDeps & { readonly database: Pick<Database, 'query'> },
): readonly Implementation[] {
  return [
    implement(listContractorJobsOperation, async ({ companyId, caller, query, timeoutMs }) => {
      const within = queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() });
      return {
        json: JSON.stringify(await listContractorJobs(within, { ...boundaryOf(caller), limit: query.take })),
      };
    }),
    implement(appendJobNoteOperation, async ({ caller, params, body, idempotencyKey, timeoutMs }) => {
      const { resource, idempotency } = await appendJobNote(deps, {
        ...boundaryOf(caller),
        jobId: params.id,
        binding: idempotencyKey,
        note: body.note,
        timeoutMs: timeoutMs(),
      });
      return { json: resource, idempotency };
    }),
  ];
}

/** What an installer-contractor key may see: jobs that its owner sold and that its bound installer performs. */
function boundaryOf(caller: Caller): ContractorJobBoundary {
  invariant(
    caller.kind === 'key' && caller.boundCompanyId !== undefined,
    'a key that may see jobs is bound to an installer company',
  );
  return { sellingCompanyId: caller.companyId, installerCompanyId: caller.boundCompanyId };
}
