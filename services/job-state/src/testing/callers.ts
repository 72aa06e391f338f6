import type { Caller } from '@partner/proto-contracts/call';

export function installerKey(companyId: string): Caller {
  return { kind: 'key', companyId, companyClass: 'INSTALLER', keyId: 'key_1' };
}

export function installerOwner(companyId: string, membershipId = 'mem_olive') {
  return {
    ...{ kind: 'owner', companyId, companyClass: 'INSTALLER', role: 'owner', membershipId },
    displayName: 'Olive Owner',
    remoteAddress: '203.0.113.7',
    userAgent: 'Browser/1.0',
  } as const satisfies Caller;
}
