import type { AnyOperation } from '../operation.js';
import { API_KEY_OPERATIONS } from './api-keys.js';
import { AUDIT_OPERATIONS } from './audit.js';
import { CHANGE_OPERATIONS } from './changes.js';
import { DELIVERY_OPERATIONS } from './deliveries.js';
import { FAULT_SCRIPT_OPERATIONS } from './fault-scripts.js';
import { SESSION_OPERATIONS } from './session.js';
import { STATISTICS_OPERATIONS } from './statistics.js';
import { SUBSCRIPTION_OPERATIONS } from './subscriptions.js';
import { TECHNICAL_CONTACT_OPERATIONS } from './technical-contact.js';
import { URL_CHECK_OPERATIONS } from './url-checks.js';

/** Every operation of the console's API. */
export const CONSOLE_OPERATIONS: readonly AnyOperation[] = [
  ...SESSION_OPERATIONS,
  ...SUBSCRIPTION_OPERATIONS,
  ...DELIVERY_OPERATIONS,
  ...STATISTICS_OPERATIONS,
  ...API_KEY_OPERATIONS,
  ...FAULT_SCRIPT_OPERATIONS,
  ...URL_CHECK_OPERATIONS,
  ...CHANGE_OPERATIONS,
  ...AUDIT_OPERATIONS,
  ...TECHNICAL_CONTACT_OPERATIONS,
];
