import { KEY_KINDS_OF_CLASS } from '@partner/proto-contracts/resources/api-key/api-key';
import type { ErrorReason } from '@partner/proto-contracts/api/error-reasons';
import type { KeyKindName } from '@partner/proto-contracts/api/scopes';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import type { Environment } from '@partner/kernel/security/api-key';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { Actor } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import type { Database, Transaction, TransactionLimits } from '../database/database.js';
import { contractInstaller, isContracted } from './contracted-installers.js';
import { insertKey, lockCompany, type NewKey } from './insert-key.js';

/** The key that an owner creates. */
export interface KeyToCreate {
  readonly companyId: string;
  readonly actor: Actor | undefined;
  readonly kind: KeyKindName;
  /** Whether an operator creates it, by the queue of the request. */
  readonly isOperator: boolean;
  readonly boundCompanyId?: string | undefined;
  readonly description?: string | undefined;
}

/**
 * Creates an API key, whose text is returned only here.
 *
 * Fails with
 * - `key_kind_not_allowed` for a kind that the company's class does not allow;
 * - `installer_not_bindable` for a company that no job of this one is or was assigned to;
 * - `key_limit_reached`.
 *
 * An operator can bind a key to any installer company, also before the first assignment: this pairs the companies.
 *
 * Atomic: the key and its entry in the audit trail. Lock: the company.
 */
export async function createKey(
  deps: {
    readonly database: Pick<Database, 'transaction'>;
    readonly environment: Environment;
    readonly clock: () => Date;
    readonly logger: Pick<Logger, 'info'>;
  },
  request: KeyToCreate,
  limits: TransactionLimits = {},
): Promise<NewKey> {
  const { companyId, actor, isOperator } = request;
  const { kind, boundCompanyId = null, description = '' } = request;
  const created = await deps.database.transaction(
    async (tx) => {
      refuseKind(await lockCompany(tx, companyId), kind);
      if (boundCompanyId !== null) await refuseInstaller(tx, { companyId, isOperator, boundCompanyId });
      const made = await insertKey(tx, {
        environment: deps.environment,
        companyId,
        kind,
        boundCompanyId,
        description: description === '' ? null : description,
        now: deps.clock(),
      });
      await recordAudit(tx, {
        companyId,
        actor,
        action: 'api_key.created',
        subject: { type: 'api_key', id: made.key.id },
        details: { kind, boundCompanyId, description: made.key.description, lastFour: made.key.lastFour },
      });
      return made;
    },
    { ...limits, companyId },
  );
  const { id: keyId } = created.key;
  deps.logger.info({ companyId, keyId, kind, membershipId: actor?.membershipId }, 'key.created');
  return created;
}

function refuseKind(companyClass: CompanyClassName, kind: KeyKindName): void {
  const allowed = KEY_KINDS_OF_CLASS[companyClass];
  if (allowed.includes(kind)) return;
  const expectation =
    allowed.length === 0
      ? `a company of class ${companyClass} cannot have API keys`
      : `must be one of ${allowed.join(', ')} for a company of class ${companyClass}`;
  throw refused('key_kind_not_allowed', 'kind', expectation);
}

/** An owner's error never reveals which other companies exist; an operator's does. */
async function refuseInstaller(
  tx: Transaction,
  {
    companyId,
    isOperator,
    boundCompanyId,
  }: Pick<KeyToCreate, 'companyId' | 'isOperator'> & { readonly boundCompanyId: string },
): Promise<void> {
  if (isOperator) await contractInstaller(tx, companyId, boundCompanyId);
  if (await isContracted(tx, companyId, boundCompanyId)) return;
  throw refused(
    'installer_not_bindable',
    'boundCompanyId',
    isOperator
      ? 'must be an installer company'
      : 'must be an installer company that a job of this company is or was assigned to',
  );
}

function refused(reason: ErrorReason, path: string, message: string): ServiceError {
  return new ServiceError(reason, `${path}: ${message}`, { details: [{ path, message }] });
}
