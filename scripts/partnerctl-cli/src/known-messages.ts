import { createRegistry, fromBinary, type Registry, toJson } from '@bufbuild/protobuf';
import { file_partner_access_v1_access_service } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { file_partner_jobs_v1_contractor_job_service } from '@partner/proto-contracts/gen/partner/jobs/v1/contractor_job_service_pb';
import { file_partner_jobs_v1_job_service } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { file_partner_leads_v1_appointment_service } from '@partner/proto-contracts/gen/partner/leads/v1/appointment_service_pb';
import { file_partner_leads_v1_lead_service } from '@partner/proto-contracts/gen/partner/leads/v1/lead_service_pb';
import { PLATFORM_MESSAGES } from '@partner/proto-contracts/platform-messages';
import { file_partner_webhooks_v1_delivery } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { type Json, parseJson } from './output.js';

const KNOWN_MESSAGES: Registry = createRegistry(
  ...PLATFORM_MESSAGES,
  file_partner_webhooks_v1_delivery,
  file_partner_jobs_v1_contractor_job_service,
  file_partner_jobs_v1_job_service,
  file_partner_leads_v1_lead_service,
  file_partner_leads_v1_appointment_service,
  file_partner_access_v1_access_service,
);

/**
 * Decodes a message to protobuf JSON, without its sealed signing secrets. Undefined for an unknown type and for a body that is not
 * such a message.
 */
export function decodeMessage(type: string, body: Uint8Array): Json | undefined {
  const schema = KNOWN_MESSAGES.getMessage(type);
  if (schema === undefined) return undefined;
  try {
    const text = JSON.stringify(
      toJson(schema, fromBinary(schema, body), { registry: KNOWN_MESSAGES }),
      (name, value: unknown) => (name === 'sealedSecret' ? undefined : value),
    );
    return parseJson(text);
  } catch {
    return undefined;
  }
}
