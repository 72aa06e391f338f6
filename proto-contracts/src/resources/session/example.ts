import type { z } from 'zod';
import type { ownSession, sessionResponse } from './session.js';

export const SESSION_EXAMPLE = {
  owner: { membershipId: 'mem_01jx2n4t8yf1ra6vc3bq9kz5wd', displayName: 'Olive Okafor' },
  company: { id: 'cmp_01jx2m9k3hf7sd0q8xw4vt6nzb', name: 'Sunny Installers', class: 'INSTALLER' },
  expiresAt: '2026-08-26T14:33:00.000Z',
  confirmedUntil: '2026-08-26T14:18:00.000Z',
} as const satisfies z.infer<typeof sessionResponse>;

export const OWN_SESSION_EXAMPLE = {
  id: 'ses_01k3hc2m5vf8qs1z7x4rw9tnbe',
  current: true,
  startedAt: '2026-08-26T14:03:00.000Z',
  lastSeenAt: '2026-08-26T14:03:00.000Z',
  expiresAt: '2026-08-26T14:33:00.000Z',
  remoteAddress: '203.0.113.7',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0',
} as const satisfies z.infer<typeof ownSession>;
