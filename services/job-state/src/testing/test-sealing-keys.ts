import type { SealingKeys } from '@partner/kernel/security/secret-sealing';

export const TEST_SEALING_KEYS: SealingKeys = {
  currentKeyId: 'k1',
  keys: new Map([['k1', Buffer.alloc(32, 7)]]),
};
