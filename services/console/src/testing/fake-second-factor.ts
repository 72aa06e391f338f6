import type { ServiceImpl } from '@connectrpc/connect';
import type {
  AccessService,
  SecondFactorCode,
} from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { notFound, ServiceError } from '@partner/kernel/service-error';
import { resourceResponse } from './resource-response.js';

type SecondFactorMethods = Pick<
  ServiceImpl<typeof AccessService>,
  | 'getSecondFactor'
  | 'beginSecondFactor'
  | 'enableSecondFactor'
  | 'useSecondFactor'
  | 'replaceRecoveryCodes'
  | 'disableSecondFactor'
>;

interface Factor {
  readonly usedCodes: Set<string>;
  recoveryCodes: string[];
  isEnabled: boolean;
}

/** Fake second factors by membership. */
export interface FakeSecondFactors {
  readonly methods: SecondFactorMethods;
  has(membershipId: string | undefined): boolean;
}

/** Creates second factors whose apps show codes that begin with 1. Each code works once. */
export function createFakeSecondFactors(now: Date): FakeSecondFactors {
  const factors = new Map<string, Factor>();
  const enabled = (membershipId = '') => {
    const factor = factors.get(membershipId);
    return factor?.isEnabled === true ? factor : undefined;
  };
  const textsOf = (hashes: readonly Uint8Array[]) => hashes.map((hash) => Buffer.from(hash).toString('hex'));

  function use(factor: Factor | undefined, code: SecondFactorCode | undefined): Factor {
    const [recoveryCode = ''] = textsOf(
      code?.recoveryCodeSha256 === undefined ? [] : [code.recoveryCodeSha256],
    );
    const totp = code?.totp ?? '';
    const isUnused = totp.startsWith('1') && factor?.usedCodes.has(totp) === false;
    if (factor === undefined || !(isUnused || factor.recoveryCodes.includes(recoveryCode))) {
      throw new ServiceError(
        'second_factor_wrong',
        'the code is wrong or was used before; enter the next one',
      );
    }
    factor.usedCodes.add(totp);
    factor.recoveryCodes = factor.recoveryCodes.filter((each) => each !== recoveryCode);
    return factor;
  }

  const existing = (membershipId: string | undefined) => {
    const factor = enabled(membershipId);
    if (factor === undefined) throw notFound('second factor');
    return factor;
  };

  return {
    has: (membershipId) => enabled(membershipId) !== undefined,
    methods: {
      getSecondFactor: ({ membershipId }) => {
        const factor = enabled(membershipId);
        return resourceResponse({
          enabled: factor !== undefined,
          enabledAt: factor === undefined ? null : formatDateTime(now),
          recoveryCodesLeft: factor?.recoveryCodes.length ?? 0,
        });
      },
      beginSecondFactor: ({ membershipId = '' }) => {
        if (enabled(membershipId) !== undefined) {
          throw new ServiceError(
            'second_factor_enabled',
            'a second factor is enabled already; disable it first',
          );
        }
        factors.set(membershipId, { usedCodes: new Set(), recoveryCodes: [], isEnabled: false });
        return resourceResponse({ secret: 'JBSWY3DPEHPK3PXP', uri: 'otpauth://totp/Olive' });
      },
      enableSecondFactor: ({ membershipId = '', code, recoveryCodeSha256s }) => {
        const factor = factors.get(membershipId);
        if (factor === undefined || factor.isEnabled) throw notFound('pending second factor');
        use(factor, code);
        factor.recoveryCodes = textsOf(recoveryCodeSha256s);
        factor.isEnabled = true;
        return {};
      },
      useSecondFactor: ({ membershipId, code }) => {
        use(enabled(membershipId), code);
        return {};
      },
      replaceRecoveryCodes: ({ membershipId, code, recoveryCodeSha256s }) => {
        use(existing(membershipId), code).recoveryCodes = textsOf(recoveryCodeSha256s);
        return {};
      },
      disableSecondFactor: ({ membershipId = '', code }) => {
        use(existing(membershipId), code);
        factors.delete(membershipId);
        return {};
      },
    },
  };
}
