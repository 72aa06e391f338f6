import type { Client } from '@connectrpc/connect';
import type {
  CreateLeadResponse,
  LeadService,
} from '@partner/proto-contracts/gen/partner/leads/v1/lead_service_pb';
import { leadCreated, leadMerged } from '@partner/proto-contracts/resources/lead/lead';
import { createLeadOperation } from '@partner/proto-contracts/resources/lead/operations';
import type { ApiKeyPrincipal } from '@partner/gateway-kit/api-key-authentication';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { idempotencyHeadersOf, idempotencyKeyOf } from '@partner/gateway-kit/idempotency';

/**
 * `POST /inbound/leads`: creates a lead (201), or merges it into the company's lead at the same address (200).
 * `Idempotency-Key` is optional.
 */
export function createLead(deps: {
  readonly leads: Pick<Client<typeof LeadService>, 'createLead'>;
}): AnyEndpoint<ApiKeyPrincipal> {
  return serveOperation(createLeadOperation, async (request) => {
    const { fullName, email, phone, address, smsConsent } = request.body;
    const { companyId } = request.principal;
    const idempotencyKey = idempotencyKeyOf(request);
    const response = await deps.leads.createLead(
      { companyId, idempotencyKey, fullName, email, phone, address, smsConsent },
      request.call,
    );
    const { created, idempotency, resourceJson = renderedHere(response) } = response;
    return {
      status: created === true ? 201 : 200,
      text: resourceJson,
      headers: idempotencyHeadersOf(idempotency),
    };
  });
}

/** The outcome from job-state of release 0.1.0, which does not render it. Remove it after the next release. */
function renderedHere({ created, leadId, projectId, mergeReason }: CreateLeadResponse): string {
  const shown =
    created === true
      ? leadCreated.parse({ status: 'created', leadId, projectId })
      : leadMerged.parse({ status: 'merged', leadId, projectId, reason: mergeReason });
  return JSON.stringify(shown);
}
