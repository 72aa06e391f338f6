import { authenticateKeyOperation } from '@partner/proto-contracts/internal/access/authenticate-key';
import type { CallOptions } from '@partner/kernel/amqp/operation-client';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { keyOperations } from '../access/authenticate-key-operation.js';

/** Looks up keys as the gateways do. */
export function keyLookups(deps: Omit<Parameters<typeof keyOperations>[0], 'keyUsage'>, used: string[] = []) {
  const implementations = keyOperations({ ...deps, keyUsage: { note: (keyId) => used.push(keyId) } });
  const operations = inProcessOperations({ implementations, callers: ['service'] });
  return {
    authenticateKey: (
      { keyId, secretSha256 }: { readonly keyId: string; readonly secretSha256: Buffer },
      options?: CallOptions,
    ) =>
      operations.callInternal(
        authenticateKeyOperation,
        { keyId, secretSha256: secretSha256.toString('hex') },
        options,
      ),
  };
}
