import { describe, expect, test } from '@jest/globals';
import { auditPage } from '@partner/proto-contracts/resources/audit-entry/audit-entry';
import { recordAudit } from '@partner/job-state/audit/record-audit';
import { newId } from '@partner/kernel/process/ids';
import { ids, site, trailOf } from './testing/each-test-console.js';
import { cookie } from './testing/signed-in-console.js';

const ENTRIES = '/partner-api/audit-entries';

async function listed(query: string) {
  const response = await site.request('get', `${ENTRIES}${query}`, { cookie }).expect(200);
  return auditPage.parse(response.body);
}

describe('the audit trail', () => {
  test('is the company’s own, and is paginated', async () => {
    const pause = (companyId: string) =>
      recordAudit(site.jobState.database, {
        ...{ companyId, actor: undefined, action: 'webhook.paused' },
        subject: { type: 'webhook', id: newId('whk') },
      } as const);
    for (const companyId of [ids.roofs, ids.sunny, ids.sunny, ids.sunny]) await pause(companyId);
    const first = await listed('?action=webhook.paused&limit=2');
    const rest = await listed(`?action=webhook.paused&limit=2&cursor=${first.nextCursor ?? ''}`);
    const found = await trailOf(ids.sunny, 'webhook.paused');
    expect([...first.entries, ...rest.entries]).toEqual(found);
    expect([found.length, rest.nextCursor]).toEqual([3, null]);
    const [theirs] = await trailOf(ids.roofs, 'webhook.paused');
    const beforeTheirs = await listed(`?action=webhook.paused&cursor=${theirs?.id}`);
    expect(beforeTheirs.entries).toEqual([]);
  });

  test.each([
    ['cursor=evt_1', 'cursor'],
    [`cursor=${newId('key')}`, 'cursor'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['action=webhook.unknown', 'action'],
  ])('cannot be queried with %s', async (query, field) => {
    const response = await site.request('get', `${ENTRIES}?${query}`, { cookie }).expect(400);
    expect(response.body).toMatchObject({ details: [{ path: field }] });
  });
});

test('every change sends its owner, the address and the browser to job-state [CONSOLE-11]', async () => {
  const id = newId('whk');
  const webhook = `/partner-api/webhooks/${id}`;
  const from = new Date(site.now().getTime() - 3_600_000).toISOString();
  const to = site.now().toISOString();
  const changes = [
    ['post', '/partner-api/webhooks', { url: 'https://receiver.example/', events: ['install.*'] }],
    ['patch', webhook, { description: 'Other' }],
    ['delete', webhook],
    ['post', `${webhook}/test`],
    ['post', `${webhook}/activate`],
    ['post', `${webhook}/pause`],
    ['post', `${webhook}/rotate-secret`],
    ['post', `${webhook}/activate-secret`, { pendingSecretVersion: 2 }],
    ['post', `/partner-api/deliveries/${newId('dlv')}/replay`],
    ['post', `${webhook}/replay`, { states: ['dead_lettered'], from, to }],
    ['delete', `/partner-api/replays/${newId('rpl')}`],
  ] as const;
  for (const [method, path, body] of changes) {
    await site
      .request(method, path, { cookie, address: '203.0.113.7', ...(body !== undefined && { body }) })
      .set('user-agent', 'Browser/1.0');
  }
  const company = { companyId: ids.sunny, companyClass: 'INSTALLER' };
  const person = { membershipId: ids.olive, displayName: 'Olive Owner' };
  const client = { remoteAddress: '203.0.113.7', userAgent: 'Browser/1.0' };
  const caller = { kind: 'owner', ...company, role: 'owner', ...person, ...client };
  expect(site.jobState.calledForOwners()).toEqual(
    [
      'createWebhook',
      'updateWebhook',
      'deleteWebhook',
      'testWebhook',
      'activateWebhook',
      'pauseWebhook',
      'rotateWebhookSecret',
      'activateWebhookSecret',
      'replayDelivery',
      'replayDeliveries',
      'cancelReplay',
    ].map((operation) => ({ operation, caller })),
  );
  const settings = '/partner-api/notification-settings';
  await site
    .request('put', settings, { cookie, address: '203.0.113.7', body: { emails: 'daily' } })
    .set('user-agent', 'Browser/1.0')
    .expect(200);
  expect(site.jobState.called.at(-1)).toEqual({ operation: 'setNotificationSettings', caller });
});
