import type { Implementation } from '@partner/kernel/amqp/implement';
import type { AccessDeps } from './access-deps.js';
import { API_KEY_OPERATIONS } from './api-keys.js';
import { COLLEAGUE_OPERATIONS } from './colleagues.js';
import { PASSWORD_OPERATIONS } from './passwords.js';
import { SECOND_FACTOR_OPERATIONS } from './second-factor.js';
import { SIGN_IN_OPERATIONS } from './sign-in.js';
import { TECHNICAL_CONTACT_OPERATIONS } from './technical-contact.js';

export function accessOperations(deps: AccessDeps): readonly Implementation[] {
  return [
    ...SIGN_IN_OPERATIONS,
    ...PASSWORD_OPERATIONS,
    ...SECOND_FACTOR_OPERATIONS,
    ...COLLEAGUE_OPERATIONS,
    ...API_KEY_OPERATIONS,
    ...TECHNICAL_CONTACT_OPERATIONS,
  ].map((operation) => operation(deps));
}
