import { z } from 'zod';
import { role } from '../../api/roles.js';

/** A person who manages a company's webhooks and keys, visible to operators alone. */
export const owner = z.object({
  membershipId: z.string(),
  companyId: z.string(),
  displayName: z.string(),
  /** Absent from an earlier version, which has owners only. */
  role: role.default('owner'),
  email: z.string().nullable(),
  /** True: the owner can sign in, if a password is set. */
  active: z.boolean(),
  hasPassword: z.boolean(),
  /** Absent from an older job-state. */
  hasSecondFactor: z.boolean().default(false),
  /** True: the owner signs in at the identity provider. Absent from an older job-state. */
  isLinked: z.boolean().default(false),
});

export type Owner = z.infer<typeof owner>;

export const ownerPage = z.object({ owners: z.array(owner), hasMore: z.boolean() });
