import { expect, test } from '@jest/globals';
import { KEY_KINDS } from '@partner/proto-contracts/api/scopes';
import { INBOUND_OPERATIONS } from '@partner/proto-contracts/surfaces/inbound';
import { INSTALLER_OPERATIONS } from '@partner/proto-contracts/surfaces/installer';
import { isInForce, keyName, scopeLabels, testCommand } from './key-labels.js';

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

test('the test command contains the key once, and calls an operation that it may use', () => {
  for (const kind of ['general', 'installer-contractor', 'installer-company'] as const) {
    const command = testCommand(kind, 'key_1.svc_live_x', 'https://partners.example');
    expect(command.split('key_1.svc_live_x')).toHaveLength(2);
    const [, method = 'GET', called] =
      /^curl -i (?:-X (\w+) )?'https:\/\/partners\.example([^?']+)/.exec(command) ?? [];
    const operation = [...INBOUND_OPERATIONS, ...INSTALLER_OPERATIONS].find(
      ({ method: known, path }) => known === method.toLowerCase() && path === called,
    );
    expect(KEY_KINDS[kind].scopes).toContain(operation?.scope);
  }
});
