import { ServiceError } from '@partner/kernel/process/service-error';
import type { SubscriptionRow } from './subscription-resource.js';

/**
 * The 409 for a secret version that the operation cannot use.
 *
 * It reports the state of that version, which secret signs deliveries, and which one is pending.
 */
export function secretVersionMismatch(
  field: string,
  wanted: number,
  { secretVersion, pendingSecretVersion }: Pick<SubscriptionRow, 'secretVersion' | 'pendingSecretVersion'>,
): ServiceError {
  const pending =
    pendingSecretVersion === null ? 'no secret is pending' : `the pending secret is ${pendingSecretVersion}`;
  const state =
    wanted === secretVersion
      ? `${wanted} is already active`
      : wanted >= 1 && wanted < secretVersion
        ? `${wanted} was replaced; deliveries are signed with ${secretVersion}`
        : `${wanted} is not the version of a secret; deliveries are signed with ${secretVersion}`;
  return new ServiceError('secret_version_mismatch', `${field}: ${state}; ${pending}`);
}
