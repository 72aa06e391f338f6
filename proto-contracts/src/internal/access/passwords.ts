import { z } from 'zod';
import { defineInternalOperation } from '../../api/operation.js';
import { sha256Hex } from './sha256-hex.js';

/** Replaces the caller's password, if it is still the one that the caller has proved. */
export const replacePasswordOperation = defineInternalOperation({
  id: 'replacePassword',
  // A repeat finds another password than the proved one.
  repeatable: false,
  input: z.object({ formerPasswordVersion: z.string(), passwordHash: z.string() }),
  output: z.object({ passwordVersion: z.string() }),
});

/** Makes a link valid for the person with an email address. Returns the stored address to mail it to; none for a person without a password. */
export const createPasswordLinkOperation = defineInternalOperation({
  id: 'createPasswordLink',
  // A repeat adds an entry to the audit trail.
  repeatable: false,
  input: z.object({
    email: z.string(),
    tokenSha256: sha256Hex,
    /** The only person whom the link may be for. */
    onlyMembershipId: z.string().optional(),
  }),
  output: z.object({ email: z.string().optional() }),
});

/** Finds the person of a link, for the rule of new passwords. Fails with `not_found` for a link that does not work. */
export const findPasswordLinkOperation = defineInternalOperation({
  id: 'findPasswordLink',
  repeatable: true,
  input: z.object({ tokenSha256: sha256Hex }),
  output: z.object({
    membershipId: z.string(),
    displayName: z.string(),
    companyName: z.string(),
    email: z.string(),
  }),
});

/** Sets the password of the person of a link, and uses the link up. Fails with `not_found` for a link that does not work. */
export const usePasswordTokenOperation = defineInternalOperation({
  id: 'usePasswordToken',
  // A link works once.
  repeatable: false,
  input: z.object({
    tokenSha256: sha256Hex,
    passwordHash: z.string(),
    remoteAddress: z.string().optional(),
    userAgent: z.string().optional(),
  }),
  output: z.object({}),
});
