import type { DescMessage } from '@bufbuild/protobuf';
import { file_partner_platform_v1_company_messages } from './gen/partner/platform/v1/company_messages_pb.js';
import { file_partner_platform_v1_job_messages } from './gen/partner/platform/v1/job_messages_pb.js';
import { file_partner_platform_v1_sales_messages } from './gen/partner/platform/v1/sales_messages_pb.js';

/** The types that the platform sends: unlike the types of their fields, each says when it occurred. */
export const PLATFORM_MESSAGES: readonly DescMessage[] = [
  file_partner_platform_v1_company_messages,
  file_partner_platform_v1_job_messages,
  file_partner_platform_v1_sales_messages,
].flatMap(({ messages }) =>
  messages.filter(({ fields }) => fields.some(({ name }) => name === 'occurred_at')),
);
