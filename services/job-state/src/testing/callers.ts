import type { Caller } from '@partner/proto-contracts/call';

/** An API key of an installer company, as calls name it. */
export function installerKey(companyId: string): Caller {
  return { kind: 'key', companyId, companyClass: 'INSTALLER', keyId: 'key_1' };
}
