import type { TechnicalContact } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import type { technicalContact } from '@partner/proto-contracts/public-api/technical-contact';
import type { z } from 'zod';
import { presentInstant, presentOptionalInstant } from './present-instant.js';
import { requiredField } from './required-field.js';

/** The technical contact as the company's owners see it. */
export function presentTechnicalContact(
  message: TechnicalContact | undefined,
): z.input<typeof technicalContact> {
  const { email, confirmedAt, pendingEmail, pendingExpiresAt } = requiredField(message, 'a contact');
  return {
    email: email ?? null,
    confirmedAt: presentOptionalInstant(confirmedAt),
    pending:
      pendingEmail === undefined
        ? null
        : { email: pendingEmail, expiresAt: presentInstant(pendingExpiresAt, 'contact.pending_expires_at') },
  };
}
