import type { Caller } from '@partner/proto-contracts/call';

/** An API key of an installer company, as calls name it. */
export function installerKey(companyId: string): Caller {
  return { kind: 'key', companyId, companyClass: 'INSTALLER', keyId: 'key_1' };
}

/** An owner of an installer company, with a browser. */
export function installerOwner(companyId: string, membershipId = 'mem_olive') {
  return {
    ...{ kind: 'owner', companyId, companyClass: 'INSTALLER', role: 'owner', membershipId },
    displayName: 'Olive Owner',
    remoteAddress: '203.0.113.7',
    userAgent: 'Browser/1.0',
  } as const satisfies Caller;
}
