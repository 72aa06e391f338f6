import { z } from 'zod';
import { role } from '../../api/roles.js';
import { defineInternalOperation } from '../../api/operation.js';
import { companyClass } from '../../values/company-class.js';

const login = z.object({
  membershipId: z.string(),
  displayName: z.string(),
  companyId: z.string(),
  companyName: z.string(),
  companyClass,
  /** Null: the person may not use the console. */
  role: role.nullable(),
  /** Changes with the password, and when the sessions of the person end for another reason. */
  passwordVersion: z.string(),
  /** Argon2id in PHC string form. Only of a login by password. */
  passwordHash: z.string().optional(),
  /** True: a login needs a code too. */
  hasSecondFactor: z.boolean(),
});

export type Login = z.infer<typeof login>;

const identity = z.object({
  issuer: z.string(),
  subject: z.string(),
  /** Absent: the provider does not state that it has verified one. */
  verifiedEmail: z.string().optional(),
});

/** Finds the login of an email address, with its password hash. None for an unknown address, and for a person without a password. */
export const findLoginOperation = defineInternalOperation({
  id: 'findLogin',
  repeatable: true,
  input: z.object({ email: z.string() }),
  output: z.object({ login: login.optional() }),
});

/** Finds the login of an account at the identity provider, by its link or by its verified address. */
export const findProviderLoginOperation = defineInternalOperation({
  id: 'findProviderLogin',
  repeatable: true,
  input: identity,
  output: z.object({
    login: login.optional(),
    /** False: the email address alone matches. */
    isLinked: z.boolean(),
  }),
});

/** Links the caller to an account at the identity provider, whose sign-in the console has completed. */
export const linkProviderOperation = defineInternalOperation({
  id: 'linkProvider',
  // A repeat changes nothing.
  repeatable: true,
  input: identity,
  output: z.object({}),
});

export const findSignInMethodsOperation = defineInternalOperation({
  id: 'findSignInMethods',
  repeatable: true,
  input: z.object({
    /** Absent: no identity provider is configured. */
    issuer: z.string().optional(),
  }),
  output: z.object({
    hasPassword: z.boolean(),
    /** Null: the caller has not signed in with the provider. */
    linkedAt: z.iso.datetime().nullable(),
  }),
});

/** Finds an active owner or viewer of a company, to check whether a session or its password is still valid. */
export const findPersonOperation = defineInternalOperation({
  id: 'findPerson',
  repeatable: true,
  input: z.object({
    companyId: z.string(),
    membershipId: z.string(),
    withPasswordHash: z.boolean().optional(),
  }),
  output: z.object({
    person: z
      .object({
        role,
        passwordVersion: z.string(),
        passwordHash: z.string().optional(),
        email: z.string().optional(),
      })
      .optional(),
  }),
});
