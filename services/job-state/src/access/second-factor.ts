import {
  RECOVERY_CODE_COUNT,
  type SecondFactor,
  type SecondFactorSecret,
} from '@partner/proto-contracts/resources/second-factor/second-factor';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type { Environment } from '@partner/kernel/security/api-key';
import { newId } from '@partner/kernel/process/ids';
import type { Logger } from '@partner/kernel/telemetry/logger';
import {
  openSecret,
  type SealingKeys,
  sealingKeyIdOf,
  sealSecret,
} from '@partner/kernel/security/secret-sealing';
import { notFound, ServiceError } from '@partner/kernel/process/service-error';
import type { Actor } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import type { Database, Queryable, Transaction, TransactionLimits } from '../database/database.js';
import type { SecurityNoticeKind } from '@partner/proto-contracts/resources/security-notice/security-notice';
import { noticeToPerson } from './queue-notices.js';
import type { MembershipOfCompany } from './get-owner.js';
import { recordRefusedCode } from './record-refused-code.js';
import { endSessions } from './password-version.js';
import { newTotpSecret, totpStep, totpUri } from './totp.js';

/** Dependencies of the second factor. */
export interface SecondFactorDeps {
  readonly database: Pick<Database, 'transaction'>;
  readonly sealingKeys: SealingKeys;
  readonly clock: () => Date;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Shown in the app beside the codes. */
  readonly environment: Environment;
}

/** A code: of the app, or the hash of a recovery code. */
export interface SecondFactorCode {
  readonly totp?: string | undefined;
  readonly recoveryCodeSha256?: Buffer | undefined;
}

/** A person who acts on their own second factor. */
export interface SecondFactorOwner extends MembershipOfCompany {
  readonly actor: Actor | undefined;
}

interface FactorChange {
  /** Of the entry in the audit trail. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Of the email. */
  readonly kind: SecurityNoticeKind;
  /** What a wrong code was tried for. */
  readonly during: Parameters<typeof recordRefusedCode>[2]['during'];
}

interface FactorRow {
  readonly id: string;
  readonly sealed: Buffer;
  readonly lastStep: number;
  readonly recoveryCodes: readonly Buffer[];
  readonly displayName: string;
}

/** Returns the second factor of a person; none for another company's. */
export async function getSecondFactor(
  database: Queryable,
  { companyId, membershipId }: MembershipOfCompany,
): Promise<SecondFactor> {
  const [factor] = await database.query<{ enabledAt: Date; recoveryCodesLeft: number }>(
    `select f.enabled_at as "enabledAt", cardinality(f.recovery_code_sha256s) as "recoveryCodesLeft"
     from second_factors f join memberships m on m.id = f.membership_id
     where m.id = $1 and m.company_id = $2 and f.enabled_at is not null`,
    [membershipId, companyId],
  );
  if (factor === undefined) return { enabled: false, enabledAt: null, recoveryCodesLeft: 0 };
  const { enabledAt, recoveryCodesLeft } = factor;
  return { enabled: true, enabledAt: formatDateTime(enabledAt), recoveryCodesLeft };
}

/**
 * Makes a new secret pending, in place of an earlier pending one. It is returned only here.
 *
 * Fails with `second_factor_enabled` if the person has one, and with `not_found` for a person who cannot sign in.
 */
export async function beginSecondFactor(
  deps: SecondFactorDeps,
  { companyId, membershipId }: MembershipOfCompany,
  limits: TransactionLimits = {},
): Promise<SecondFactorSecret> {
  const secret = newTotpSecret();
  const id = newId('mfa');
  const sealed = sealSecret(deps.sealingKeys, sealedFor(id), secret);
  const account = await deps.database.transaction(
    async (tx) => {
      const [member] = await tx.query<{ email: string }>(
        'select email from memberships where id = $1 and company_id = $2 and active and email is not null',
        [membershipId, companyId],
      );
      if (member === undefined) throw notFound('owner');
      const [begun] = await tx.query(
        `insert into second_factors (id, membership_id, sealed, sealing_key_id) values ($1, $2, $3, $4)
         on conflict (membership_id) do update
           set id = excluded.id, sealed = excluded.sealed, sealing_key_id = excluded.sealing_key_id
           where second_factors.enabled_at is null
         returning id`,
        [id, membershipId, sealed, sealingKeyIdOf(sealed)],
      );
      if (begun === undefined) {
        throw new ServiceError(
          'second_factor_enabled',
          'a second factor is enabled already; disable it first',
        );
      }
      return member.email;
    },
    { ...limits, companyId },
  );
  const issuer =
    deps.environment === 'production' ? 'Partner console' : `Partner console (${deps.environment})`;
  return { secret, uri: totpUri({ secret, issuer, account }) };
}

/**
 * Enables the pending secret with a code of it, which is used up.
 *
 * Fails with `not_found` if none is pending, and with `second_factor_wrong`.
 *
 * Atomic: the second factor, its recovery codes and the entry in the audit trail. Lock: the second factor.
 */
export async function enableSecondFactor(
  deps: SecondFactorDeps,
  owner: SecondFactorOwner,
  given: { readonly code: SecondFactorCode; readonly recoveryCodeSha256s: readonly Buffer[] },
  limits: TransactionLimits = {},
): Promise<void> {
  const { recoveryCodeSha256s: recoveryCodes } = given;
  const changed = {
    details: { changed: ['secondFactor'], secondFactor: 'enabled' },
    kind: 'second_factor_enabled',
    during: 'enable',
  } as const;
  await change(deps, owner, changed, limits, async (tx) => {
    const now = deps.clock();
    const factor = await lockFactor(tx, owner, 'pending');
    if (factor === undefined) throw notFound('pending second factor');
    const step = unusedStep(deps, factor, given.code.totp, now);
    if (step === undefined) throw wrongCode();
    await tx.query(
      'update second_factors set enabled_at = $2, last_step = $3, recovery_code_sha256s = $4 where id = $1',
      [factor.id, now, step, recoveryCodes],
    );
    return factor;
  });
}

/**
 * Uses up a code: each is accepted once, by one of any number of concurrent calls. After a code of the app, older ones
 * are refused.
 *
 * Fails with `second_factor_wrong`, also without a second factor; a wrong code is in the audit trail.
 *
 * Atomic: the use, and for a recovery code the entry in the audit trail. Lock: the second factor.
 */
export async function useSecondFactor(
  deps: SecondFactorDeps,
  owner: SecondFactorOwner,
  code: SecondFactorCode,
  limits: TransactionLimits = {},
): Promise<void> {
  const { companyId } = owner;
  await recordRefusedCode(deps, owner, { during: 'sign_in', limits }, () =>
    deps.database.transaction(
      async (tx) => {
        const factor = await lockFactor(tx, owner, 'enabled');
        if (factor === undefined) throw wrongCode();
        await useCode(tx, deps, owner, factor, code);
      },
      { ...limits, companyId },
    ),
  );
}

/**
 * Replaces the recovery codes, with a code that is used up.
 *
 * Fails with `not_found` without a second factor, and with `second_factor_wrong`.
 *
 * Atomic: the use, the new codes and the entry in the audit trail. Lock: the second factor.
 */
export async function replaceRecoveryCodes(
  deps: SecondFactorDeps,
  owner: SecondFactorOwner,
  given: { readonly code: SecondFactorCode; readonly recoveryCodeSha256s: readonly Buffer[] },
  limits: TransactionLimits = {},
): Promise<void> {
  const { recoveryCodeSha256s: recoveryCodes } = given;
  const changed = {
    details: { changed: ['recoveryCodes'], recoveryCodesLeft: RECOVERY_CODE_COUNT },
    kind: 'recovery_codes_replaced',
    during: 'recovery_codes',
  } as const;
  await change(deps, owner, changed, limits, async (tx) => {
    const factor = await usedFactor(tx, deps, owner, given.code);
    await tx.query('update second_factors set recovery_code_sha256s = $2 where id = $1', [
      factor.id,
      recoveryCodes,
    ]);
    return factor;
  });
}

/**
 * Deletes a second factor, with a code that is used up.
 *
 * Fails with `not_found` without a second factor, and with `second_factor_wrong`.
 *
 * Atomic: the deletion and the entry in the audit trail. Lock: the second factor.
 */
export async function disableSecondFactor(
  deps: SecondFactorDeps,
  owner: SecondFactorOwner,
  code: SecondFactorCode,
  limits: TransactionLimits = {},
): Promise<void> {
  const changed = {
    details: { changed: ['secondFactor'], secondFactor: 'disabled' },
    kind: 'second_factor_disabled',
    during: 'disable',
  } as const;
  await change(deps, owner, changed, limits, async (tx) => {
    const factor = await usedFactor(tx, deps, owner, code);
    await tx.query('delete from second_factors where id = $1', [factor.id]);
    return factor;
  });
}

/**
 * Deletes the second factor of a person whom the transaction has locked, ends the person's sessions, and records it. Returns false if
 * none was enabled: only a pending secret is deleted then.
 */
export async function resetFactor(
  tx: Transaction,
  person: SecondFactorOwner & { readonly displayName: string },
): Promise<boolean> {
  const { companyId, membershipId, actor } = person;
  const [deleted] = await tx.query<{ isEnabled: boolean }>(
    'delete from second_factors where membership_id = $1 returning enabled_at is not null as "isEnabled"',
    [membershipId],
  );
  if (deleted?.isEnabled !== true) return false;
  await endSessions(tx, membershipId);
  await record(tx, person, person, { changed: ['secondFactor'], secondFactor: 'disabled' });
  await noticeToPerson(tx, { companyId, subjectId: membershipId, kind: 'second_factor_disabled', actor });
  return true;
}

/** Makes a change of the person's own second factor, records it in the audit trail, and queues the email about it. */
async function change(
  deps: SecondFactorDeps,
  owner: SecondFactorOwner,
  { details, kind, during }: FactorChange,
  limits: TransactionLimits,
  work: (tx: Transaction) => Promise<FactorRow>,
): Promise<void> {
  const { companyId, membershipId, actor } = owner;
  await recordRefusedCode(deps, owner, { during, limits }, () =>
    deps.database.transaction(
      async (tx) => {
        const factor = await work(tx);
        await record(tx, owner, factor, details);
        await noticeToPerson(tx, { companyId, subjectId: membershipId, kind, actor });
      },
      { ...limits, companyId },
    ),
  );
  deps.logger.info({ companyId, membershipId, ...details }, 'second_factor.changed');
}

async function record(
  tx: Transaction,
  { companyId, membershipId, actor }: SecondFactorOwner,
  { displayName }: Pick<FactorRow, 'displayName'>,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  await recordAudit(tx, {
    companyId,
    actor,
    action: 'owner.updated',
    subject: { type: 'owner', id: membershipId },
    details: { displayName, ...details },
  });
}

async function lockFactor(
  tx: Transaction,
  { companyId, membershipId }: MembershipOfCompany,
  state: 'pending' | 'enabled',
): Promise<FactorRow | undefined> {
  const [factor] = await tx.query<FactorRow>(
    `select f.id, f.sealed, f.last_step as "lastStep", f.recovery_code_sha256s as "recoveryCodes",
       m.display_name as "displayName"
     from second_factors f join memberships m on m.id = f.membership_id
     where m.id = $1 and m.company_id = $2 and (f.enabled_at is not null) = $3
     for no key update of f`,
    [membershipId, companyId, state === 'enabled'],
  );
  return factor;
}

async function usedFactor(
  tx: Transaction,
  deps: SecondFactorDeps,
  owner: SecondFactorOwner,
  code: SecondFactorCode,
): Promise<FactorRow> {
  const factor = await lockFactor(tx, owner, 'enabled');
  if (factor === undefined) throw notFound('second factor');
  await useCode(tx, deps, owner, factor, code);
  return factor;
}

/** Uses up a code of a locked second factor. */
async function useCode(
  tx: Transaction,
  deps: SecondFactorDeps,
  owner: SecondFactorOwner,
  factor: FactorRow,
  code: SecondFactorCode,
): Promise<void> {
  if (code.recoveryCodeSha256 === undefined) {
    const step = unusedStep(deps, factor, code.totp, deps.clock());
    if (step === undefined) throw wrongCode();
    await tx.query('update second_factors set last_step = $2 where id = $1', [factor.id, step]);
    return;
  }
  const used = code.recoveryCodeSha256;
  const left = factor.recoveryCodes.filter((hash) => !hash.equals(used));
  if (left.length === factor.recoveryCodes.length) throw wrongCode();
  await tx.query('update second_factors set recovery_code_sha256s = $2 where id = $1', [factor.id, left]);
  await record(tx, owner, factor, { changed: ['recoveryCodes'], recoveryCodesLeft: left.length });
  const { companyId, membershipId: subjectId, actor } = owner;
  const details = { left: left.length };
  await noticeToPerson(tx, { companyId, subjectId, kind: 'recovery_code_used', actor, details });
}

/** Returns the step of a code of the app, if it is newer than each used one. */
function unusedStep(
  { sealingKeys }: Pick<SecondFactorDeps, 'sealingKeys'>,
  factor: FactorRow,
  totp: string | undefined,
  now: Date,
): number | undefined {
  if (totp === undefined) return undefined;
  const step = totpStep(openSecret(sealingKeys, sealedFor(factor.id), factor.sealed), totp, now);
  return step !== undefined && step > factor.lastStep ? step : undefined;
}

/** By its own id: a membership of the platform can take over a second factor. */
function sealedFor(id: string) {
  return { subscriptionId: id, version: 1 };
}

function wrongCode(): ServiceError {
  return new ServiceError('second_factor_wrong', 'the code is wrong or was used before; enter the next one');
}
