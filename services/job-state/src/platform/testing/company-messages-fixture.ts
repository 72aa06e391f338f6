import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  CompanyChangedSchema,
  CompanyClass,
} from '@partner/proto-contracts/gen/partner/platform/v1/company_messages_pb';
import { platformMessage, TEST_NOW } from '../../testing/test-jobs.js';

export const occurredAt = timestampFromDate(TEST_NOW);

export const companyChanged = (
  companyId: string,
  given: {
    readonly version?: number;
    readonly name?: string;
    readonly class?: CompanyClass;
    readonly accountingCompanyIds?: string[];
  } = {},
) =>
  platformMessage(CompanyChangedSchema, {
    companyId,
    version: 1,
    name: 'Harbor Home',
    class: CompanyClass.SALES,
    occurredAt,
    ...given,
  });
