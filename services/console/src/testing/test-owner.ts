/** An owner of an installer company, as a session stores it. */
export const owner = {
  membershipId: 'mem_1',
  displayName: 'Olive Owner',
  companyId: 'cmp_1',
  companyName: 'Sunny Installers',
  companyClass: 'INSTALLER',
  passwordVersion: 'first',
  role: 'owner',
} as const;

/** The client that the owner signs in with. */
export const origin = { remoteAddress: '203.0.113.7', userAgent: 'Firefox' } as const;
