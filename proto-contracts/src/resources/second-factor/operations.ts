import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import {
  RECOVERY_CODE_COUNT,
  recoveryCodes,
  SECOND_FACTOR_EXAMPLE,
  secondFactor,
  secondFactorCodeIn,
  secondFactorSecret,
} from './second-factor.js';

const CODE_EXAMPLES = {
  app: {
    summary: 'A code of the app',
    value: { code: '492039' } satisfies z.input<typeof secondFactorCodeIn>,
  },
};

const RECOVERY_CODES_EXAMPLE = {
  recoveryCodes: Array.from(
    { length: RECOVERY_CODE_COUNT },
    (_, index) => `k3fq-7xha-2mzr-pw5${'abcdefghij'[index]}`,
  ),
} satisfies z.infer<typeof recoveryCodes>;

export const getSecondFactorOperation = defineOperation({
  id: 'getSecondFactor',
  method: 'get',
  path: '/partner-api/second-factor',
  summary: 'Read the second factor',
  description:
    'Returns whether your sign-in asks for a code after the password, and how many recovery codes are left.',
  responses: {
    200: { description: 'The second factor.', schema: secondFactor, example: SECOND_FACTOR_EXAMPLE },
  },
});

export const beginSecondFactorOperation = defineOperation({
  id: 'beginSecondFactor',
  ofOwnAccount: true,
  method: 'post',
  path: '/partner-api/second-factor',
  summary: 'Create the secret of a second factor',
  description: `
Creates a secret for an authenticator app (TOTP, RFC 6238). Sign-in does not change until \`enableSecondFactor\` confirms
it. A repeat replaces the secret.`,
  needsConfirmation: () => true,
  responses: {
    200: {
      description: 'The pending secret.',
      schema: secondFactorSecret,
      example: {
        secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
        uri: 'otpauth://totp/Partner%20console:olive%40sunny.example?issuer=Partner%20console&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
      } satisfies z.infer<typeof secondFactorSecret>,
    },
  },
  errors: ['second_factor_enabled'],
});

export const enableSecondFactorOperation = defineOperation({
  id: 'enableSecondFactor',
  ofOwnAccount: true,
  method: 'post',
  path: '/partner-api/second-factor/enable',
  body: secondFactorCodeIn,
  summary: 'Enable the second factor',
  description: `
Enables the pending secret with a code of the app. From now on sign-in asks for a code, and the other sessions of the person end.
Returns ${RECOVERY_CODE_COUNT} recovery codes; each replaces the code of the app once.`,
  bodyExamples: CODE_EXAMPLES,
  needsConfirmation: () => true,
  responses: { 200: { description: 'Enabled.', schema: recoveryCodes, example: RECOVERY_CODES_EXAMPLE } },
  errors: ['not_found', 'second_factor_wrong'],
});

export const replaceRecoveryCodesOperation = defineOperation({
  id: 'replaceRecoveryCodes',
  ofOwnAccount: true,
  method: 'post',
  path: '/partner-api/second-factor/recovery-codes',
  body: secondFactorCodeIn,
  summary: 'Replace the recovery codes',
  description: 'Uses up a code and makes new recovery codes. The earlier ones no longer work.',
  bodyExamples: CODE_EXAMPLES,
  needsConfirmation: () => true,
  responses: { 200: { description: 'Replaced.', schema: recoveryCodes, example: RECOVERY_CODES_EXAMPLE } },
  errors: ['not_found', 'second_factor_wrong'],
});

export const disableSecondFactorOperation = defineOperation({
  id: 'disableSecondFactor',
  ofOwnAccount: true,
  method: 'post',
  path: '/partner-api/second-factor/disable',
  body: secondFactorCodeIn,
  summary: 'Disable the second factor',
  description: 'Uses up a code and deletes the second factor with its recovery codes.',
  bodyExamples: CODE_EXAMPLES,
  needsConfirmation: () => true,
  responses: { 204: { description: 'Disabled.' } },
  errors: ['not_found', 'second_factor_wrong'],
});
