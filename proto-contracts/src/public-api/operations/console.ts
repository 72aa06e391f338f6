import type { AnyOperation } from '../operation.js';
import { DELIVERY_OPERATIONS } from './deliveries.js';
import { SESSION_OPERATIONS } from './session.js';
import { SUBSCRIPTION_OPERATIONS } from './subscriptions.js';

/** Every operation of the console's API. */
export const CONSOLE_OPERATIONS: readonly AnyOperation[] = [
  ...SESSION_OPERATIONS,
  ...SUBSCRIPTION_OPERATIONS,
  ...DELIVERY_OPERATIONS,
];
