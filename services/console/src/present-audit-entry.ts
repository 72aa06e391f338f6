import type { AuditEntry } from '@partner/proto-contracts/gen/partner/audit/v1/audit_service_pb';
import {
  AUDIT_ACTIONS,
  AUDIT_SUBJECT_TYPES,
  type auditEntry,
} from '@partner/proto-contracts/public-api/audit-trail';
import { z } from 'zod';
import { presentInstant } from './present-instant.js';
import { requiredField } from './required-field.js';

const detailsText = z.record(z.string(), z.unknown());

/** An entry of the audit trail as its owner sees it. Throws when job-state left out what it always gives. */
export function presentAuditEntry(given: AuditEntry): z.input<typeof auditEntry> {
  const { actor } = given;
  return {
    id: requiredField(given.id, 'entry.id'),
    at: presentInstant(given.at, 'entry.at'),
    actor: actor === undefined ? null : presentActor(actor),
    action: requiredField(
      AUDIT_ACTIONS.find((known) => known === given.action),
      'a known entry.action',
    ),
    subject: {
      type: requiredField(
        AUDIT_SUBJECT_TYPES.find((known) => known === given.subjectType),
        'a known entry.subject_type',
      ),
      id: requiredField(given.subjectId, 'entry.subject_id'),
    },
    remoteAddress: actor?.remoteAddress ?? null,
    userAgent: actor?.userAgent ?? null,
    requestId: given.requestId ?? null,
    details: detailsText.parse(JSON.parse(requiredField(given.detailsJson, 'entry.details_json'))),
  };
}

/** An owner whose name is not known any more is shown by their id; an operator has a name only. */
function presentActor({ membershipId, displayName }: NonNullable<AuditEntry['actor']>) {
  return {
    membershipId: membershipId ?? null,
    displayName: requiredField(displayName ?? membershipId, 'entry.actor.display_name'),
  };
}
