import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type { OperatorService } from '@partner/proto-contracts/gen/partner/operator/v1/operator_service_pb';
import { CompanyClassSchema } from '@partner/proto-contracts/gen/partner/platform/v1/company_messages_pb';
import { companyClass } from '@partner/proto-contracts/values/company-class';
import { enumName, enumValue } from '@partner/proto-contracts/values/enum-names';
import type { Environment } from '@partner/kernel/api-key';
import type { Logger } from '@partner/kernel/logger';
import { type Database, queryWithin } from '../database/database.js';
import { createPeopleRpcs } from '../people/people-rpcs.js';
import { pageSize } from '../rpc/page-size.js';
import { checkRestore } from '../restore/check-restore.js';
import { required } from '../rpc/required.js';
import {
  claimAnnouncement,
  listAnnouncementRecipients,
  listAnnouncements,
  recordAnnouncement,
  releaseAnnouncement,
} from './announcements.js';
import { createCompany } from './create-company.js';
import { findCompany } from './find-company.js';
import { getBacklog } from './get-backlog.js';
import { getOperatorJob } from './get-job.js';
import { operatorActor } from '../audit/operator-actor.js';
import { listCompanies } from './operator-company.js';
import { createOwnerRpcs } from './owner-rpcs.js';
import { updateCompany } from './update-company.js';

/** Serves the RPCs of the operators' command line, which acts on behalf of no company. */
export function createOperatorService(deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly logger: Pick<Logger, 'info'>;
  readonly environment: Environment;
  readonly clock: () => Date;
  /** Slots: maximum number of deliveries in flight at once. */
  readonly inFlight: number;
}): ServiceImpl<typeof OperatorService> {
  return {
    ...createOwnerRpcs(deps),
    ...createPeopleRpcs(deps),

    async listCompanies(request, context) {
      const database = queryWithin(deps.database, { timeoutMs: context.timeoutMs() });
      const page = await listCompanies(database, {
        afterCompanyId: request.afterCompanyId,
        limit: pageSize(request.limit),
        nameContains: request.nameContains,
        companyId: request.companyId,
      });
      return { resourceJson: JSON.stringify(page) };
    },

    async createCompany(request, context) {
      const company = await createCompany(
        deps,
        {
          name: required(request.name, 'name'),
          companyClass: required(
            enumName(CompanyClassSchema, companyClass.options, request.class),
            'known class',
          ),
          companyId: request.companyId,
          actor: operatorActor(request),
        },
        { timeoutMs: context.timeoutMs() },
      );
      return { resourceJson: JSON.stringify(company) };
    },

    async updateCompany(request, context) {
      const company = await updateCompany(
        deps,
        {
          companyId: required(request.companyId, 'company_id'),
          name: request.name,
          installerRequestsPerMinute: request.installerRequestsPerMinute,
          deliveryWeight: request.deliveryWeight,
          accountingCompanyIds: request.accountingLinks?.companyIds,
          actor: operatorActor(request),
        },
        { timeoutMs: context.timeoutMs() },
      );
      return { resourceJson: JSON.stringify(company) };
    },

    async listAnnouncementRecipients(request, context) {
      const database = queryWithin(deps.database, { timeoutMs: context.timeoutMs() });
      const { recipients, hasMore } = await listAnnouncementRecipients(database, {
        announcement: required(request.announcement, 'announcement'),
        afterCompanyId: request.afterCompanyId,
        limit: pageSize(request.limit),
      });
      return { recipients: [...recipients], hasMore };
    },

    async claimAnnouncement(request, context) {
      const claimed = await claimAnnouncement(
        deps,
        {
          announcement: required(request.announcement, 'announcement'),
          companyId: required(request.companyId, 'company_id'),
          email: required(request.email, 'email'),
          operator: required(request.operator, 'operator'),
        },
        { timeoutMs: context.timeoutMs() },
      );
      return { claimed };
    },

    async releaseAnnouncement(request, context) {
      await releaseAnnouncement(
        deps,
        {
          announcement: required(request.announcement, 'announcement'),
          companyId: required(request.companyId, 'company_id'),
          email: required(request.email, 'email'),
        },
        { timeoutMs: context.timeoutMs() },
      );
      return {};
    },

    async recordAnnouncement(request, context) {
      await recordAnnouncement(
        deps,
        {
          announcement: required(request.announcement, 'announcement'),
          companyId: required(request.companyId, 'company_id'),
          email: required(request.email, 'email'),
          operator: required(request.operator, 'operator'),
        },
        { timeoutMs: context.timeoutMs() },
      );
      return {};
    },

    async listAnnouncements(request, context) {
      const database = queryWithin(deps.database, { timeoutMs: context.timeoutMs() });
      const page = await listAnnouncements(database, {
        announcement: request.announcement,
        beforeId: request.beforeId,
        limit: pageSize(request.limit),
      });
      return { resourceJson: JSON.stringify(page) };
    },

    async findCompany(request, context) {
      const database = queryWithin(deps.database, { timeoutMs: context.timeoutMs() });
      const found = await findCompany(database, required(request.id, 'id'));
      return {
        companyId: found.companyId,
        class: enumValue(CompanyClassSchema, found.companyClass),
        ...(found.deliveryId !== null && { deliveryId: found.deliveryId }),
      };
    },

    async getJob(request, context) {
      const database = queryWithin(deps.database, { timeoutMs: context.timeoutMs() });
      const job = await getOperatorJob(database, required(request.jobId, 'job_id'));
      return { resourceJson: JSON.stringify(job) };
    },

    async checkRestore(request, context) {
      const database = queryWithin(deps.database, { timeoutMs: context.timeoutMs() });
      const { afterCompanyId, limit } = request;
      const page = await checkRestore(database, { afterCompanyId, limit: pageSize(limit) });
      return { resourceJson: JSON.stringify(page) };
    },

    async getBacklog(_request, context) {
      const {
        oldestDueMs,
        oldestBusyDueMs,
        oldestFailingDueMs,
        oldestOutboxMs,
        oldestWaitingMs,
        databaseNow,
        ...counts
      } = await getBacklog(queryWithin(deps.database, { timeoutMs: context.timeoutMs() }), deps.inFlight);
      return {
        ...counts,
        environment: deps.environment,
        now: timestampFromDate(deps.clock()),
        databaseNow: timestampFromDate(databaseNow),
        ...(oldestDueMs !== null && { oldestDueMs }),
        ...(oldestBusyDueMs !== null && { oldestBusyDueMs }),
        ...(oldestFailingDueMs !== null && { oldestFailingDueMs }),
        ...(oldestOutboxMs !== null && { oldestOutboxMs }),
        ...(oldestWaitingMs !== null && { oldestWaitingMs }),
      };
    },
  };
}
