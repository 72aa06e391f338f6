import { boundedText } from '@partner/proto-contracts/values/bounded-text';
import { emailAddress } from '@partner/proto-contracts/values/email-address';
import { hasUrl, hasUrlOrDomain, NAME_WITH_URL } from '@partner/proto-contracts/values/name-without-url';
import { invalidArgument, validate } from '@partner/kernel/process/validation';
import { isId } from '@partner/kernel/process/ids';
import { isPasswordHash } from '@partner/kernel/security/password-hashing';
import { z } from 'zod';

/** Maximum length of names, in characters. */
const NAME_LENGTH = 120;

const name = boundedText({ min: 1, max: NAME_LENGTH }).refine(
  (text) => !/\p{Cc}/u.test(text) && text.trim() === text,
  'must not begin or end with a space, or contain control characters',
);
const passwordHash = z
  .string()
  .refine(isPasswordHash, 'must be a PHC string of Argon2id with the parameters of the service');

export const companyFields = z.object({
  companyId: z
    .string()
    .refine((text) => isId('cmp', text), 'must be an id such as cmp_01j…')
    .optional(),
  name: name.refine((text) => !hasUrl(text), 'must be a name, without a URL').optional(),
  installerRequestsPerMinute: z.int().min(0).max(1_000_000).optional(),
  deliveryWeight: z.int().min(1).max(100).optional(),
  accountingCompanyIds: z.array(z.string()).max(100).optional(),
});

export const ownerFields = z.object({
  displayName: name.refine((text) => !hasUrlOrDomain(text), NAME_WITH_URL).optional(),
  email: emailAddress.optional(),
  passwordHash: passwordHash.optional(),
});

/** Fails with `invalid_argument` for invalid fields. */
export function checkFields<Fields>(schema: z.ZodType<unknown, Fields>, given: Fields): void {
  const checked = validate(schema, given, 'body');
  if (!checked.valid) throw invalidArgument(checked.violations);
}
