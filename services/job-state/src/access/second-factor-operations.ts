import {
  type SecondFactorCode as SentCode,
  useSecondFactorOperation,
} from '@partner/proto-contracts/internal/access/second-factor';
import {
  beginSecondFactorOperation,
  getSecondFactorOperation,
} from '@partner/proto-contracts/resources/second-factor/operations';
import { type Implementation, implement, implementInternal } from '@partner/kernel/amqp/implement';
import { callingOwner } from '../audit/actor.js';
import { type Database, queryWithin } from '../database/database.js';
import {
  beginSecondFactor,
  disableSecondFactor,
  enableSecondFactor,
  getSecondFactor,
  replaceRecoveryCodes,
  type SecondFactorCode,
  type SecondFactorDeps,
  useSecondFactor,
} from './second-factor.js';

/** The operations with which a person manages their own second factor, and signs in with it. The console hashes recovery codes. */
export function secondFactorOperations(
  deps: SecondFactorDeps & { readonly database: Pick<Database, 'query' | 'transaction'> },
): readonly Implementation[] {
  return [
    implement(getSecondFactorOperation, async ({ companyId, caller, timeoutMs }) => {
      const database = queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() });
      return { json: JSON.stringify(await getSecondFactor(database, callingOwner(caller))) };
    }),
    implement(beginSecondFactorOperation, async ({ caller, timeoutMs }) => {
      const begun = await beginSecondFactor(deps, callingOwner(caller), { timeoutMs: timeoutMs() });
      return { json: JSON.stringify(begun) };
    }),
    implementInternal(useSecondFactorOperation, async (input, { caller, timeoutMs }) => {
      const actor = callingOwner(caller);
      const { companyId, membershipId } = actor;
      const owner = { companyId, membershipId, actor };
      const code = codeOf(input.code);
      const limits = { timeoutMs: timeoutMs() };
      switch (input.to) {
        case 'sign_in':
          await useSecondFactor(deps, owner, code, limits);
          return {};
        case 'disable':
          await disableSecondFactor(deps, owner, code, limits);
          return {};
        case 'enable':
          await enableSecondFactor(deps, owner, { code, recoveryCodeSha256s: hashesOf(input) }, limits);
          return {};
        case 'replace_recovery_codes':
          await replaceRecoveryCodes(deps, owner, { code, recoveryCodeSha256s: hashesOf(input) }, limits);
          return {};
      }
    }),
  ];
}

function codeOf({ totp, recoveryCodeSha256 }: SentCode): SecondFactorCode {
  return {
    totp,
    recoveryCodeSha256: recoveryCodeSha256 === undefined ? undefined : Buffer.from(recoveryCodeSha256, 'hex'),
  };
}

function hashesOf({ recoveryCodeSha256s }: { readonly recoveryCodeSha256s: readonly string[] }) {
  return recoveryCodeSha256s.map((hash) => Buffer.from(hash, 'hex'));
}
