import {
  recoveryCodes,
  secondFactor,
  secondFactorSecret,
} from '@partner/proto-contracts/resources/second-factor/second-factor';
import { useAction } from './use-action.js';
import { useApiQuery } from './use-api-query.js';

const PATH = '/second-factor';

/** The second factor of the signed-in owner. */
export function useSecondFactor() {
  return useApiQuery({ key: ['second-factor'], schema: secondFactor, path: PATH });
}

/** Creates a secret for an authenticator app. */
export function useBeginSecondFactor() {
  return useAction({
    act: (api, _input: undefined) => api.read(secondFactorSecret, { method: 'POST', path: PATH }),
  });
}

/** Makes recovery codes with a code: by enabling the pending secret, or in place of the former ones. */
export function useMakeRecoveryCodes(
  by: 'enable' | 'recovery-codes',
  onDone: (codes: readonly string[]) => void,
) {
  return useAction({
    act: (api, code: string) =>
      api.read(recoveryCodes, { method: 'POST', path: `${PATH}/${by}`, body: { code } }),
    onDone: ({ recoveryCodes: codes }) => onDone(codes),
  });
}

/** Disables the second factor with a code. */
export function useDisableSecondFactor(onDone: () => void) {
  return useAction({
    act: (api, code: string) => api.send({ method: 'POST', path: `${PATH}/disable`, body: { code } }),
    done: 'Two-factor authentication disabled',
    onDone,
  });
}
