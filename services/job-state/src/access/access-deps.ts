import type { CallContext, Implementation } from '@partner/kernel/amqp/implement';
import type { Environment } from '@partner/kernel/security/api-key';
import type { SealingKeys } from '@partner/kernel/security/secret-sealing';
import type { Logger } from '@partner/kernel/telemetry/logger';
import type { Database, Transaction } from '../database/database.js';

export interface AccessDeps {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** The environment of created keys, which authenticator apps show too. */
  readonly environment: Environment;
  readonly sealingKeys: SealingKeys;
}

export type AccessOperation = (deps: AccessDeps) => Implementation;

/** Runs the work of a call in a transaction, until the caller's deadline. */
export function inTransaction<T>(
  database: Pick<Database, 'transaction'>,
  { caller, timeoutMs }: CallContext,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const companyId = caller.kind === 'service' ? undefined : caller.companyId;
  return database.transaction(work, { companyId, timeoutMs: timeoutMs() });
}
