import { authenticateKeyOperation } from '@partner/proto-contracts/internal/access/authenticate-key';
import type { CallOptions } from '@partner/kernel/amqp/operation-client';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { keyOperations } from '../access/keys/authenticate-key.js';
import { TEST_NOW } from './test-jobs.js';

type Deps = Omit<Parameters<typeof keyOperations>[0], 'keyUsage'>;

export function keyLookups(deps: Partial<Deps> & Pick<Deps, 'database'>, used: string[] = []) {
  const implementations = keyOperations({
    ...{ clock: () => TEST_NOW, environment: 'sandbox', ...deps },
    keyUsage: { note: (keyId) => used.push(keyId) },
  });
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
