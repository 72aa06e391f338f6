import { z } from 'zod';
import { defineInternalOperation } from '../../api/operation.js';
import { role } from '../../api/roles.js';
import { owner, ownerPage } from '../../resources/owner/owner.js';
import { pageSize } from './page-size.js';

/** Lists the owners and viewers of a company by id, oldest first. */
export const listOwnersOperation = defineInternalOperation({
  id: 'listOwners',
  repeatable: true,
  input: z.object({ companyId: z.string(), afterMembershipId: z.string().optional(), limit: pageSize }),
  output: ownerPage,
});

/** Adds an owner or a viewer, who can sign in once a password is set. */
export const createOwnerOperation = defineInternalOperation({
  id: 'createOwner',
  // A repeat fails: the address is in use.
  repeatable: false,
  input: z.object({
    companyId: z.string(),
    displayName: z.string(),
    email: z.string(),
    /** A PHC string of Argon2id. */
    passwordHash: z.string().optional(),
    /** Absent: an owner. */
    role: role.optional(),
  }),
  output: owner,
});

export const updateOwnerOperation = defineInternalOperation({
  id: 'updateOwner',
  repeatable: true,
  input: z.object({
    membershipId: z.string(),
    passwordHash: z.string().optional(),
    /** False: disables sign-in and removes the password and the link to the identity provider. */
    active: z.boolean().optional(),
    role: role.optional(),
  }),
  output: owner,
});

/** Deletes an owner's second factor, and ends the owner's sessions. */
export const resetOwnerSecondFactorOperation = defineInternalOperation({
  id: 'resetOwnerSecondFactor',
  repeatable: true,
  input: z.object({ membershipId: z.string() }),
  output: owner,
});

/** Deletes an owner's link to the identity provider, and ends the owner's sessions. */
export const unlinkOwnerProviderOperation = defineInternalOperation({
  id: 'unlinkOwnerProvider',
  repeatable: true,
  input: z.object({ membershipId: z.string() }),
  output: owner,
});
