import {
  claimAnnouncementOperation,
  listAnnouncementRecipientsOperation,
  listAnnouncementsOperation,
  recordAnnouncementOperation,
  releaseAnnouncementOperation,
} from '@partner/proto-contracts/internal/operators/announcements';
import {
  createCompanyOperation,
  findCompanyOperation,
  listCompaniesOperation,
  updateCompanyOperation,
} from '@partner/proto-contracts/internal/operators/companies';
import {
  checkRestoreOperation,
  getBacklogOperation,
  getOperatorJobOperation,
} from '@partner/proto-contracts/internal/operators/system';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { type CallContext, type Implementation, implementInternal } from '@partner/kernel/amqp/implement';
import type { Environment } from '@partner/kernel/security/api-key';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { callingActor, callingOperator } from '../audit/actor.js';
import { type Database, queryWithin } from '../database/database.js';
import { peopleOperations } from '../people/people-operations.js';
import { checkRestore } from '../restore/check-restore.js';
import {
  claimAnnouncement,
  listAnnouncementRecipients,
  listAnnouncements,
  recordAnnouncement,
  releaseAnnouncement,
} from './announcements.js';
import { createCompany } from './create-company.js';
import { findCompany } from './find-company.js';
import { type Backlog, getBacklog } from './get-backlog.js';
import { getOperatorJob } from './get-job.js';
import { listCompanies } from './operator-company.js';
import { ownerOperations } from './owner-operations.js';
import { updateCompany } from './update-company.js';

interface Deps {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly logger: Pick<Logger, 'info'>;
  readonly environment: Environment;
  readonly clock: () => Date;
  /** Slots: maximum number of deliveries in flight at once. */
  readonly inFlight: number;
}

/** The operations of the operators' command line, which acts on behalf of no company. */
export function operatorOperations(deps: Deps): readonly Implementation[] {
  const within = ({ timeoutMs }: CallContext) => queryWithin(deps.database, { timeoutMs: timeoutMs() });
  return [
    ...ownerOperations(deps),
    ...peopleOperations(deps),
    ...announcementOperations(deps),
    implementInternal(
      listCompaniesOperation,
      ({ afterCompanyId, limit = 50, nameContains, companyId }, context) =>
        listCompanies(within(context), { afterCompanyId, limit, nameContains, companyId }),
    ),
    implementInternal(
      createCompanyOperation,
      ({ name, class: companyClass, companyId }, { caller, timeoutMs }) =>
        createCompany(
          deps,
          { name, companyClass, companyId, actor: callingActor(caller) },
          { timeoutMs: timeoutMs() },
        ),
    ),
    implementInternal(updateCompanyOperation, (input, { caller, timeoutMs }) => {
      const { companyId, name, installerRequestsPerMinute, deliveryWeight, accountingCompanyIds } = input;
      return updateCompany(
        deps,
        {
          ...{ companyId, name, installerRequestsPerMinute, deliveryWeight, accountingCompanyIds },
          actor: callingActor(caller),
        },
        { timeoutMs: timeoutMs() },
      );
    }),
    implementInternal(findCompanyOperation, async ({ id }, context) => {
      const { deliveryId, ...found } = await findCompany(within(context), id);
      return { ...found, ...(deliveryId !== null && { deliveryId }) };
    }),
    implementInternal(getOperatorJobOperation, ({ jobId }, context) =>
      getOperatorJob(within(context), jobId),
    ),
    implementInternal(checkRestoreOperation, ({ afterCompanyId, limit = 50 }, context) =>
      checkRestore(within(context), { afterCompanyId, limit }),
    ),
    implementInternal(getBacklogOperation, async (_input, context) => ({
      environment: deps.environment,
      now: formatDateTime(deps.clock()),
      ...serializeBacklog(await getBacklog(within(context), deps.inFlight)),
    })),
  ];
}

function serializeBacklog({
  databaseNow,
  oldestDueMs,
  oldestBusyDueMs,
  oldestFailingDueMs,
  oldestOutboxMs,
  oldestWaitingMs,
  ...counts
}: Backlog) {
  return {
    ...counts,
    databaseNow: formatDateTime(databaseNow),
    ...(oldestDueMs !== null && { oldestDueMs }),
    ...(oldestBusyDueMs !== null && { oldestBusyDueMs }),
    ...(oldestFailingDueMs !== null && { oldestFailingDueMs }),
    ...(oldestOutboxMs !== null && { oldestOutboxMs }),
    ...(oldestWaitingMs !== null && { oldestWaitingMs }),
  };
}

function announcementOperations(deps: Deps): readonly Implementation[] {
  return [
    implementInternal(
      listAnnouncementRecipientsOperation,
      async ({ announcement, afterCompanyId, limit = 50 }, { timeoutMs }) => {
        const database = queryWithin(deps.database, { timeoutMs: timeoutMs() });
        const { recipients, hasMore } = await listAnnouncementRecipients(database, {
          ...{ announcement, afterCompanyId, limit },
        });
        return { recipients: [...recipients], hasMore };
      },
    ),
    implementInternal(claimAnnouncementOperation, async (input, { caller, timeoutMs }) => {
      const claim = { ...input, operator: callingOperator(caller) };
      return { claimed: await claimAnnouncement(deps, claim, { timeoutMs: timeoutMs() }) };
    }),
    implementInternal(releaseAnnouncementOperation, async (input, { timeoutMs }) => {
      await releaseAnnouncement(deps, input, { timeoutMs: timeoutMs() });
      return {};
    }),
    implementInternal(recordAnnouncementOperation, async (input, { caller, timeoutMs }) => {
      const sent = { ...input, operator: callingOperator(caller) };
      await recordAnnouncement(deps, sent, { timeoutMs: timeoutMs() });
      return {};
    }),
    implementInternal(listAnnouncementsOperation, ({ announcement, beforeId, limit = 50 }, { timeoutMs }) =>
      listAnnouncements(queryWithin(deps.database, { timeoutMs: timeoutMs() }), {
        ...{ announcement, beforeId, limit },
      }),
    ),
  ];
}
