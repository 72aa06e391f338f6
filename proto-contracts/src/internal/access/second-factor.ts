import { z } from 'zod';
import { defineInternalOperation } from '../../api/operation.js';
import { RECOVERY_CODE_COUNT } from '../../resources/second-factor/second-factor.js';
import { sha256Hex } from './sha256-hex.js';

/** A code as typed: of the app, or the hash of a recovery code. Neither: a text of another form, which is refused and recorded. */
const code = z.object({ totp: z.string().optional(), recoveryCodeSha256: sha256Hex.optional() });

export type SecondFactorCode = z.infer<typeof code>;

const recoveryCodeSha256s = z.array(sha256Hex).length(RECOVERY_CODE_COUNT);

/** Uses up a code of the caller's second factor to sign in or to change it. Fails with `second_factor_wrong`. */
export const useSecondFactorOperation = defineInternalOperation({
  id: 'useSecondFactor',
  // Each code works once.
  repeatable: false,
  input: z.discriminatedUnion('to', [
    z.object({ to: z.literal('sign_in'), code }),
    z.object({ to: z.literal('disable'), code }),
    z.object({ to: z.literal('enable'), code, recoveryCodeSha256s }),
    z.object({ to: z.literal('replace_recovery_codes'), code, recoveryCodeSha256s }),
  ]),
  output: z.object({}),
});
