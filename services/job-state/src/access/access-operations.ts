import type { Implementation } from '@partner/kernel/amqp/implement';
import { apiKeyOperations } from './api-key-operations.js';
import { colleagueOperations } from './colleague-operations.js';
import { passwordOperations } from './password-operations.js';
import { secondFactorOperations } from './second-factor-operations.js';
import { signInOperations } from './sign-in-operations.js';
import { technicalContactOperations } from './technical-contact-operations.js';

/** The operations with which people sign in and manage a company's keys, colleagues and technical contact. */
export function accessOperations(
  deps: Parameters<typeof apiKeyOperations>[0] & Parameters<typeof secondFactorOperations>[0],
): readonly Implementation[] {
  return [
    ...signInOperations(deps),
    ...passwordOperations(deps),
    ...secondFactorOperations(deps),
    ...colleagueOperations(deps),
    ...apiKeyOperations(deps),
    ...technicalContactOperations(deps),
  ];
}
