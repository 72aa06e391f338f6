import { describe, expect, test } from '@jest/globals';
import { type AuditEntry, describeEntry, detailsByLabel, subjectPath } from './audit-labels.js';

const entry = (fields: Partial<AuditEntry>): AuditEntry => ({
  id: 'aud_1',
  at: '2026-08-26T14:09:21.730Z',
  actor: { membershipId: 'mem_1', displayName: 'Olive' },
  action: 'webhook.updated',
  subject: { type: 'webhook', id: 'whk_1' },
  remoteAddress: null,
  userAgent: null,
  requestId: null,
  details: {},
  ...fields,
});

const nameOf = (id: string) => (id === 'whk_1' ? 'Orders' : undefined);

describe('the description of an entry', () => {
  test('names an action of a newer version as it is', () => {
    expect(describeEntry(entry({ action: 'webhook.archived' }), nameOf)).toBe('webhook.archived');
  });

  test('names the webhook and the changed fields', () => {
    const changed = entry({ details: { changed: ['url', 'events', 'description'] } });
    expect(describeEntry(changed, nameOf)).toBe(
      'Changed the address, events, and description of the webhook Orders',
    );
  });

  test('shows the address of a deleted webhook, which has no name', () => {
    const deleted = entry({
      action: 'webhook.deleted',
      subject: { type: 'webhook', id: 'whk_gone' },
      details: { url: 'https://old.example/' },
    });
    expect(describeEntry(deleted, nameOf)).toBe('Deleted the webhook to https://old.example/');
    expect(subjectPath(deleted, nameOf)).toBeUndefined();
  });

  test('names the webhook of a replay, and the last characters of a key', () => {
    const replay = entry({
      action: 'bulk_replay.started',
      subject: { type: 'bulk_replay', id: 'rpl_1' },
      details: { subscriptionId: 'whk_1' },
    });
    expect(describeEntry(replay, nameOf)).toBe('Started a bulk retry of Orders');
    expect(subjectPath(replay, nameOf)).toBe('/webhooks/whk_1');
    const key = entry({
      action: 'api_key.revoked',
      subject: { type: 'api_key', id: 'key_1' },
      details: { lastFour: '7Kq2' },
    });
    expect(describeEntry(key, nameOf)).toBe('Revoked the API key ending in 7Kq2');
    expect(subjectPath(key, nameOf)).toBe('/api-keys');
    const filed = {
      ...key,
      action: 'webhook_proposal.filed',
      details: { proposalId: 'wpr_1', source: 'main' },
    };
    expect(describeEntry(filed, nameOf)).toBe('Proposed changes of webhooks from main');
    expect(subjectPath(filed, nameOf)).toBe('/webhooks/proposals/wpr_1');
  });
});

test('details are labels and texts, without unset fields', () => {
  const details = { changed: ['url'], url: 'https://new.example/', from: null, total: 12, unheardOf: true };
  expect(detailsByLabel(details)).toEqual({
    Changed: 'address',
    Address: 'https://new.example/',
    'Total deliveries': '12',
    'Unheard of': 'true',
  });
});
