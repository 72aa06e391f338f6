import {
  findLoginOperation,
  findPersonOperation,
  findProviderLoginOperation,
  findSignInMethodsOperation,
  linkProviderOperation,
  type Login,
} from '@partner/proto-contracts/internal/access/sign-in';
import { type Implementation, implementInternal } from '@partner/kernel/amqp/implement';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { callingOwner } from '../audit/actor.js';
import { type Database, queryWithin } from '../database/database.js';
import { getLogin, type StoredLogin } from './get-login.js';
import { getOwner } from './get-owner.js';
import { passwordVersion } from './password-version.js';
import { getProviderLogin, getSignInMethods, linkProvider } from './provider-links.js';

/** The operations with which the console signs people in and checks their sessions. The console verifies passwords and identities. */
export function signInOperations(deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Logger;
}): readonly Implementation[] {
  return [
    implementInternal(findLoginOperation, async ({ email }, { timeoutMs }) => {
      const database = queryWithin(deps.database, { timeoutMs: timeoutMs() });
      const login = await getLogin({ database }, email);
      if (login === undefined) return {};
      const { passwordHash } = login;
      return { login: { ...sentLogin(login), ...(passwordHash !== null && { passwordHash }) } };
    }),
    implementInternal(findProviderLoginOperation, async (identity, { timeoutMs }) => {
      const database = queryWithin(deps.database, { timeoutMs: timeoutMs() });
      const found = await getProviderLogin(database, identity, deps.clock());
      return found === undefined
        ? { isLinked: false }
        : { login: sentLogin(found.login), isLinked: found.isLinked };
    }),
    implementInternal(linkProviderOperation, async (identity, { caller, timeoutMs }) => {
      const actor = callingOwner(caller);
      const { companyId, membershipId } = actor;
      const request = { companyId, membershipId, actor, identity };
      await linkProvider(deps, request, { timeoutMs: timeoutMs() });
      return {};
    }),
    implementInternal(findSignInMethodsOperation, async ({ issuer }, { caller, timeoutMs }) => {
      const { companyId, membershipId } = callingOwner(caller);
      const database = queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() });
      const { hasPassword, linkedAt } = await getSignInMethods(database, { companyId, membershipId, issuer });
      return { hasPassword, linkedAt: linkedAt?.toISOString() ?? null };
    }),
    implementInternal(findPersonOperation, async (input, { timeoutMs }) => {
      const { companyId, membershipId, withPasswordHash = false } = input;
      const database = queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() });
      const person = await getOwner({ database }, { companyId, membershipId });
      if (person === undefined) return {};
      const { role, email, passwordHash } = person;
      return {
        person: {
          role,
          passwordVersion: passwordVersion(person),
          ...(withPasswordHash && passwordHash !== null && { passwordHash }),
          ...(withPasswordHash && email !== null && { email }),
        },
      };
    }),
  ];
}

/** A login without its hash, and with its version in place of what makes it up. */
function sentLogin(login: StoredLogin): Login {
  const { passwordHash, sessionVersion, ...person } = login;
  return { ...person, passwordVersion: passwordVersion({ passwordHash, sessionVersion }) };
}
