import type { ServiceImpl } from '@connectrpc/connect';
import type { LeadService } from '@partner/proto-contracts/gen/partner/leads/v1/lead_service_pb';
import type { leadCreated, leadMerged } from '@partner/proto-contracts/resources/lead/lead';
import type { Logger } from '@partner/kernel/logger';
import type { z } from 'zod';
import type { Database } from '../database/database.js';
import { idempotencyOutcome } from '../idempotency/idempotency-outcome.js';
import { readBinding } from '../idempotency/read-binding.js';
import { required } from '../rpc/required.js';
import { createLead, type LeadResult } from './create-lead.js';

/** Serves the RPCs with which sales companies submit leads. */
export function createLeadService(deps: {
  readonly database: Pick<Database, 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Logger;
}): ServiceImpl<typeof LeadService> {
  return {
    async createLead(request, context) {
      const { result, idempotency } = await createLead(deps, {
        companyId: required(request.companyId, 'company_id'),
        binding: request.idempotencyKey === undefined ? undefined : readBinding(request.idempotencyKey),
        fullName: required(request.fullName, 'full_name'),
        email: required(request.email, 'email'),
        phone: required(request.phone, 'phone'),
        address: required(request.address, 'address'),
        smsConsent: request.smsConsent ?? null,
        timeoutMs: context.timeoutMs(),
      });
      return {
        created: result.kind === 'created',
        leadId: result.leadId,
        projectId: result.projectId,
        ...(result.kind === 'merged' ? { mergeReason: result.reason } : {}),
        resourceJson: JSON.stringify(shownResult(result)),
        ...(idempotency === undefined ? {} : { idempotency: idempotencyOutcome(idempotency) }),
      };
    },
  };
}

/** The outcome as the public API shows it. */
function shownResult(result: LeadResult): z.infer<typeof leadCreated | typeof leadMerged> {
  const { leadId, projectId } = result;
  if (result.kind === 'created') return { status: 'created', leadId, projectId };
  return { status: 'merged', leadId, projectId, reason: result.reason };
}
