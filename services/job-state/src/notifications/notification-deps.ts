import type { Implementation } from '@partner/kernel/amqp/implement';
import type { Database } from '../database/database.js';

/** An operation with its use case, once its dependencies are known. */
export type NotificationOperation = (deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly clock: () => Date;
}) => Implementation;
