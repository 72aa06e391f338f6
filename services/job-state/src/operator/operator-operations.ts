import {
  checkRestoreOperation,
  getBacklogOperation,
  getOperatorJobOperation,
} from '@partner/proto-contracts/internal/operators/system';
import { type Implementation, implementInternal } from '@partner/kernel/amqp/implement';
import { personalDataOperations } from '../personal-data/erasures.js';
import { checkRestore } from '../restore/restore.js';
import { ANNOUNCEMENT_OPERATIONS } from './announcements.js';
import { COMPANY_OPERATIONS } from './companies.js';
import { getBacklog } from './get-backlog.js';
import { getOperatorJob } from './get-job.js';
import { type OperatorDeps, PAGE_SIZE, within } from './operator-deps.js';
import { OWNER_OPERATIONS } from './owners.js';

export function operatorOperations(deps: OperatorDeps): readonly Implementation[] {
  return [
    ...[...OWNER_OPERATIONS, ...ANNOUNCEMENT_OPERATIONS, ...COMPANY_OPERATIONS].map((operation) =>
      operation(deps),
    ),
    ...personalDataOperations(deps),
    implementInternal(getOperatorJobOperation, ({ jobId }, context) =>
      getOperatorJob(within(deps, context), jobId),
    ),
    implementInternal(checkRestoreOperation, ({ afterCompanyId, limit = PAGE_SIZE }, context) =>
      checkRestore(within(deps, context), { afterCompanyId, limit }),
    ),
    implementInternal(getBacklogOperation, (_input, context) => getBacklog(within(deps, context), deps)),
  ];
}
