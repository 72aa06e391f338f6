import {
  type SecondFactorCode,
  useSecondFactorOperation,
} from '@partner/proto-contracts/internal/access/second-factor';
import {
  beginSecondFactorOperation,
  getSecondFactorOperation,
} from '@partner/proto-contracts/resources/second-factor/operations';
import {
  RECOVERY_CODE_COUNT,
  type SecondFactor,
  type SecondFactorSecret,
} from '@partner/proto-contracts/resources/second-factor/second-factor';
import type { SecurityNoticeKind } from '@partner/proto-contracts/resources/security-notice/security-notice';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { implement, implementInternal } from '@partner/kernel/amqp/implement';
import { newId } from '@partner/kernel/process/ids';
import { notFound, ServiceError } from '@partner/kernel/process/service-error';
import { openSecret, sealingKeyIdOf, sealSecret } from '@partner/kernel/security/secret-sealing';
import type { z } from 'zod';
import { callingOwner } from '../../audit/actor.js';
import { type OwnerChange, recordOwnerChange } from '../../audit/record-audit.js';
import type { CallerLimits, Transaction } from '../../database/database.js';
import { type AccessDeps, type AccessOperation, inTransaction } from '../access-deps.js';
import { endSessions, type MembershipOfCompany } from './membership.js';
import { noticeToPerson } from './queue-notices.js';
import { newTotpSecret, totpStep, totpUri } from './totp.js';

interface FactorRow {
  readonly id: string;
  readonly sealed: Buffer;
  readonly lastStep: number;
  readonly recoveryCodes: readonly Buffer[];
  readonly displayName: string;
}

type Use = z.output<typeof useSecondFactorOperation.input>;

/** What a code is used for, as the audit trail names a refused one, and the change of the second factor with it. */
const USES: Readonly<
  Record<
    Use['to'],
    {
      readonly during: string;
      readonly change?: { readonly kind: SecurityNoticeKind; readonly details: object };
    }
  >
> = {
  sign_in: { during: 'sign_in' },
  enable: {
    during: 'enable',
    change: {
      kind: 'second_factor_enabled',
      details: { changed: ['secondFactor'], secondFactor: 'enabled' },
    },
  },
  replace_recovery_codes: {
    during: 'recovery_codes',
    change: {
      kind: 'recovery_codes_replaced',
      details: { changed: ['recoveryCodes'], recoveryCodesLeft: RECOVERY_CODE_COUNT },
    },
  },
  disable: {
    during: 'disable',
    change: {
      kind: 'second_factor_disabled',
      details: { changed: ['secondFactor'], secondFactor: 'disabled' },
    },
  },
};

const getSecondFactor: AccessOperation = ({ database }) =>
  implement(getSecondFactorOperation, async ({ companyId, caller, timeoutMs }) => {
    const [factor] = await database.query<{ enabledAt: Date; recoveryCodesLeft: number }>(
      `select f.enabled_at as "enabledAt", cardinality(f.recovery_code_sha256s) as "recoveryCodesLeft"
       from second_factors f join memberships m on m.id = f.membership_id
       where m.id = $1 and m.company_id = $2 and f.enabled_at is not null`,
      [callingOwner(caller).membershipId, companyId],
      { companyId, timeoutMs: timeoutMs() },
    );
    const shown: SecondFactor =
      factor === undefined
        ? { enabled: false, enabledAt: null, recoveryCodesLeft: 0 }
        : {
            enabled: true,
            enabledAt: formatDateTime(factor.enabledAt),
            recoveryCodesLeft: factor.recoveryCodesLeft,
          };
    return { json: JSON.stringify(shown) };
  });

/**
 * Makes a new secret pending, in place of an earlier pending one. It is returned only here.
 *
 * Fails with `second_factor_enabled` if the caller has one, and with `not_found` for a person who cannot sign in.
 */
const beginSecondFactor: AccessOperation = ({ database, sealingKeys, environment }) =>
  implement(beginSecondFactorOperation, async ({ companyId, caller, timeoutMs }) => {
    const { membershipId } = callingOwner(caller);
    const secret = newTotpSecret();
    const id = newId('mfa');
    const sealed = sealSecret(sealingKeys, sealedFor(id), secret);
    const account = await inTransaction(database, { caller, timeoutMs }, async (tx) => {
      const [member] = await tx.query<{ email: string }>(
        'select email from memberships where id = $1 and company_id = $2 and active and email is not null',
        [membershipId, companyId],
      );
      if (member === undefined) throw notFound('owner');
      const begun = await tx.query(
        `insert into second_factors (id, membership_id, sealed, sealing_key_id) values ($1, $2, $3, $4)
           on conflict (membership_id) do update
             set id = excluded.id, sealed = excluded.sealed, sealing_key_id = excluded.sealing_key_id
             where second_factors.enabled_at is null
           returning id`,
        [id, membershipId, sealed, sealingKeyIdOf(sealed)],
      );
      if (begun.length === 0) {
        throw new ServiceError(
          'second_factor_enabled',
          'a second factor is already enabled; disable it first',
        );
      }
      return member.email;
    });
    const issuer = environment === 'production' ? 'Partner console' : `Partner console (${environment})`;
    const begun = { secret, uri: totpUri({ secret, issuer, account }) };
    return { json: JSON.stringify(begun satisfies SecondFactorSecret) };
  });

/**
 * Uses up a code: each is accepted once, by one of any number of concurrent calls. After a code of the app, older ones are refused.
 * With it the caller signs in, enables the pending secret, replaces the recovery codes, or deletes the second factor.
 *
 * Fails with `second_factor_wrong`, to sign in also without a second factor; a wrong code is in the audit trail. A change fails with
 * `not_found` without a second factor, or without a pending one to enable.
 *
 * Atomic: the use, the change, the entries in the audit trail and the email. Lock: the second factor.
 */
const useSecondFactor: AccessOperation = (deps) =>
  implementInternal(useSecondFactorOperation, async (input, { caller, timeoutMs }) => {
    const actor = callingOwner(caller);
    const { companyId, membershipId } = actor;
    const owner = { companyId, membershipId, actor };
    const limits = { companyId, timeoutMs: timeoutMs() };
    const { during, change } = USES[input.to];
    try {
      await deps.database.transaction(async (tx) => {
        const factor = await lockFactor(tx, owner, input.to);
        await apply(tx, deps, owner, factor, input);
        if (change === undefined) return;
        await recordOwnerChange(tx, owner, { displayName: factor.displayName, ...change.details });
        await noticeToPerson(tx, owner, change.kind);
      }, limits);
    } catch (error) {
      if (error instanceof ServiceError && error.reason === 'second_factor_wrong') {
        await recordRefusedCode(deps, owner, during, limits).catch((failure: unknown) => {
          deps.logger.warn({ err: failure, companyId, membershipId }, 'second_factor.refusal_not_recorded');
        });
      }
      throw error;
    }
    if (change !== undefined) {
      deps.logger.info({ companyId, membershipId, ...change.details }, 'second_factor.changed');
    }
    return {};
  });

async function lockFactor(
  tx: Transaction,
  { companyId, membershipId }: MembershipOfCompany,
  to: Use['to'],
): Promise<FactorRow> {
  const [factor] = await tx.query<FactorRow>(
    `select f.id, f.sealed, f.last_step as "lastStep", f.recovery_code_sha256s as "recoveryCodes",
       m.display_name as "displayName"
     from second_factors f join memberships m on m.id = f.membership_id
     where m.id = $1 and m.company_id = $2 and (f.enabled_at is null) = $3
     for no key update of f`,
    [membershipId, companyId, to === 'enable'],
  );
  if (factor !== undefined) return factor;
  if (to === 'sign_in') throw wrongCode();
  throw notFound(to === 'enable' ? 'pending second factor' : 'second factor');
}

async function apply(
  tx: Transaction,
  deps: AccessDeps,
  owner: OwnerChange,
  factor: FactorRow,
  use: Use,
): Promise<void> {
  if (use.to === 'enable') {
    const step = unusedStep(deps, factor, use.code.totp);
    await tx.query(
      'update second_factors set enabled_at = $2, last_step = $3, recovery_code_sha256s = $4 where id = $1',
      [factor.id, deps.clock(), step, bytesOf(use.recoveryCodeSha256s)],
    );
    return;
  }
  await useCode(tx, deps, owner, factor, use.code);
  if (use.to === 'disable') await tx.query('delete from second_factors where id = $1', [factor.id]);
  if (use.to === 'replace_recovery_codes') {
    await tx.query('update second_factors set recovery_code_sha256s = $2 where id = $1', [
      factor.id,
      bytesOf(use.recoveryCodeSha256s),
    ]);
  }
}

function bytesOf(hashes: readonly string[]): readonly Buffer[] {
  return hashes.map((hash) => Buffer.from(hash, 'hex'));
}

async function useCode(
  tx: Transaction,
  deps: AccessDeps,
  owner: OwnerChange,
  factor: FactorRow,
  { totp, recoveryCodeSha256 }: SecondFactorCode,
): Promise<void> {
  if (recoveryCodeSha256 === undefined) {
    const step = unusedStep(deps, factor, totp);
    await tx.query('update second_factors set last_step = $2 where id = $1', [factor.id, step]);
    return;
  }
  const used = Buffer.from(recoveryCodeSha256, 'hex');
  const left = factor.recoveryCodes.filter((hash) => !hash.equals(used));
  if (left.length === factor.recoveryCodes.length) throw wrongCode();
  await tx.query('update second_factors set recovery_code_sha256s = $2 where id = $1', [factor.id, left]);
  const details = { changed: ['recoveryCodes'], recoveryCodesLeft: left.length };
  await recordOwnerChange(tx, owner, { displayName: factor.displayName, ...details });
  await noticeToPerson(tx, owner, 'recovery_code_used', { left: left.length });
}

/** Returns the step of a code of the app. Fails with `second_factor_wrong` unless it is newer than each used one. */
function unusedStep({ sealingKeys, clock }: AccessDeps, factor: FactorRow, totp: string | undefined): number {
  if (totp === undefined) throw wrongCode();
  const step = totpStep(openSecret(sealingKeys, sealedFor(factor.id), factor.sealed), totp, clock());
  if (step === undefined || step <= factor.lastStep) throw wrongCode();
  return step;
}

/** By its own id: a membership of the platform can take over a second factor. */
function sealedFor(id: string) {
  return { ownerId: id, version: 1 };
}

function wrongCode(): ServiceError {
  return new ServiceError('second_factor_wrong', 'the code is wrong or was already used; enter the next one');
}

/**
 * Records a wrong code in the audit trail. If the second factor is enabled, the client has sent the right password before, so the person
 * gets an email too. The transaction of the use is rolled back by then, so this is a second one; if it fails, the code stays refused.
 */
async function recordRefusedCode(
  { database }: AccessDeps,
  owner: OwnerChange,
  during: string,
  limits: CallerLimits,
): Promise<void> {
  await database.transaction(async (tx) => {
    const [factor] = await tx.query<{ displayName: string; isEnabled: boolean }>(
      `select m.display_name as "displayName", f.enabled_at is not null as "isEnabled"
       from second_factors f join memberships m on m.id = f.membership_id where m.id = $1 and m.company_id = $2`,
      [owner.membershipId, owner.companyId],
    );
    if (factor === undefined) return;
    const { displayName, isEnabled } = factor;
    await recordOwnerChange(tx, owner, { displayName, during }, 'owner.code_refused');
    if (isEnabled) await noticeToPerson(tx, owner, 'second_factor_wrong');
  }, limits);
}

/**
 * Deletes the second factor of a person whom the transaction has locked, ends the person's sessions, and records it. If none was
 * enabled, only a pending secret is deleted.
 */
export async function resetFactor(tx: Transaction, person: OwnerChange, displayName: string): Promise<void> {
  const [deleted] = await tx.query<{ isEnabled: boolean }>(
    'delete from second_factors where membership_id = $1 returning enabled_at is not null as "isEnabled"',
    [person.membershipId],
  );
  if (deleted?.isEnabled !== true) return;
  await endSessions(tx, person.membershipId);
  const details = { changed: ['secondFactor'], secondFactor: 'disabled' };
  await recordOwnerChange(tx, person, { displayName, ...details });
  await noticeToPerson(tx, person, 'second_factor_disabled');
}

/** The operations with which a person manages their own second factor, and signs in with it. The console hashes recovery codes. */
export const SECOND_FACTOR_OPERATIONS = [getSecondFactor, beginSecondFactor, useSecondFactor];
