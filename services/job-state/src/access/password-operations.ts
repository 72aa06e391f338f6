import {
  createPasswordLinkOperation,
  findPasswordLinkOperation,
  replacePasswordOperation,
  usePasswordTokenOperation,
} from '@partner/proto-contracts/internal/access/passwords';
import { type Implementation, implementInternal } from '@partner/kernel/amqp/implement';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { callingOwner } from '../audit/actor.js';
import { type Database, queryWithin } from '../database/database.js';
import { changePassword } from './change-password.js';
import { getPasswordLink, requestPasswordLink, usePasswordLink } from './password-links.js';

/** The operations with which people set their passwords. The console hashes passwords and tokens, and mails the links. */
export function passwordOperations(deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Logger;
}): readonly Implementation[] {
  return [
    implementInternal(replacePasswordOperation, async (input, { caller, timeoutMs }) => {
      const actor = callingOwner(caller);
      const { companyId, membershipId } = actor;
      const request = { ...input, companyId, membershipId, actor };
      return { passwordVersion: await changePassword(deps, request, { timeoutMs: timeoutMs() }) };
    }),
    implementInternal(createPasswordLinkOperation, async (input, { timeoutMs }) => {
      const request = { ...input, tokenSha256: Buffer.from(input.tokenSha256, 'hex') };
      const person = await requestPasswordLink(deps, request, { timeoutMs: timeoutMs() });
      return person === undefined ? {} : { email: person.email };
    }),
    implementInternal(findPasswordLinkOperation, async ({ tokenSha256 }, { timeoutMs }) => {
      const database = queryWithin(deps.database, { timeoutMs: timeoutMs() });
      const person = await getPasswordLink(database, Buffer.from(tokenSha256, 'hex'), deps.clock());
      const { membershipId, displayName, companyName, email } = person;
      return { membershipId, displayName, companyName, email };
    }),
    implementInternal(usePasswordTokenOperation, async (input, { timeoutMs }) => {
      const { passwordHash, remoteAddress, userAgent } = input;
      const tokenSha256 = Buffer.from(input.tokenSha256, 'hex');
      const request = { tokenSha256, passwordHash, client: { remoteAddress, userAgent } };
      await usePasswordLink(deps, request, { timeoutMs: timeoutMs() });
      return {};
    }),
  ];
}
