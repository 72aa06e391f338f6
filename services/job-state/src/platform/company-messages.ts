import {
  CompanyChangedSchema,
  MembershipChangedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/company_messages_pb';
import { companyChanged, membershipChanged } from './company-commands.js';
import { platformMessageType, type PlatformMessageType } from './platform-message-type.js';
import { recordCompanyChanged } from './record-company-changed.js';
import { recordMembershipChanged } from './record-membership-changed.js';

/** The messages about companies and their members. */
export const companyMessages: readonly PlatformMessageType[] = [
  platformMessageType({
    schema: CompanyChangedSchema,
    form: companyChanged,
    resourceId: ({ companyId }) => companyId,
    isAlone: true,
    record: recordCompanyChanged,
  }),
  platformMessageType({
    schema: MembershipChangedSchema,
    form: membershipChanged,
    resourceId: ({ membershipId }) => membershipId,
    isAlone: true,
    record: recordMembershipChanged,
  }),
];
