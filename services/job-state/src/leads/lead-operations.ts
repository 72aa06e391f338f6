import type { leadCreated, leadMerged } from '@partner/proto-contracts/resources/lead/lead';
import { createLeadOperation } from '@partner/proto-contracts/resources/lead/operations';
import { type Implementation, implement } from '@partner/kernel/amqp/implement';
import type { Logger } from '@partner/kernel/telemetry/logger';
import type { z } from 'zod';
import type { Database } from '../database/database.js';
import { createLead, type LeadResult } from './create-lead.js';

/** The operation with which sales companies submit leads. */
export function leadOperations(deps: {
  readonly database: Pick<Database, 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Logger;
}): readonly Implementation[] {
  return [
    implement(createLeadOperation, async ({ companyId, body, idempotencyKey, timeoutMs }) => {
      const { result, idempotency } = await createLead(deps, {
        ...body,
        companyId,
        binding: idempotencyKey,
        smsConsent: body.smsConsent ?? null,
        timeoutMs: timeoutMs(),
      });
      return {
        status: result.kind === 'created' ? 201 : 200,
        json: JSON.stringify(shownResult(result)),
        idempotency,
      };
    }),
  ];
}

/** The outcome as the public API shows it. */
function shownResult(result: LeadResult): z.infer<typeof leadCreated | typeof leadMerged> {
  const { leadId, projectId } = result;
  if (result.kind === 'created') return { status: 'created', leadId, projectId };
  return { status: 'merged', leadId, projectId, reason: result.reason };
}
