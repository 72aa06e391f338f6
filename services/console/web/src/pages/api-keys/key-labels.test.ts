import { expect, test } from '@jest/globals';
import { KEY_KINDS } from '@partner/proto-contracts/api/scopes';
import { isInForce, keyName, scopeLabels } from './key-labels.js';

test('every scope of every kind has a label', () => {
  for (const { scopes } of Object.values(KEY_KINDS)) expect(scopeLabels(scopes)).not.toContain(':');
  expect(scopeLabels(['jobs:read', 'something:new'])).toBe('read jobs, something:new');
});

test('a key is named by its description, else by its purpose', () => {
  expect(keyName({ kind: 'general', description: 'Website' })).toBe('Website');
  expect(keyName({ kind: 'general', description: null })).toBe('Leads and appointments');
});

test('active and expiring keys are in force', () => {
  const states = ['active', 'expiring', 'expired', 'revoked'] as const;
  expect(states.filter((state) => isInForce({ state }))).toEqual(['active', 'expiring']);
});
