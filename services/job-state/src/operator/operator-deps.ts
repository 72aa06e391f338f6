import type { CallContext, Implementation } from '@partner/kernel/amqp/implement';
import type { Environment } from '@partner/kernel/security/api-key';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { type Database, type Queryable, queryWithin } from '../database/database.js';

/** Entries of a page that names no limit. */
export const PAGE_SIZE = 50;

export interface OperatorDeps {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly logger: Pick<Logger, 'info'>;
  readonly environment: Environment;
  readonly clock: () => Date;
  /** Slots: maximum number of deliveries in flight at once. */
  readonly inFlight: number;
}

export type OperatorOperation = (deps: OperatorDeps) => Implementation;

/** The database within the deadline of a call, which acts on behalf of no company. */
export function within({ database }: OperatorDeps, { timeoutMs }: CallContext): Queryable {
  return queryWithin(database, { timeoutMs: timeoutMs() });
}
