import { expect, test } from '@jest/globals';
import { auditPage } from '@partner/proto-contracts/resources/audit-entry/audit-entry';
import { CONSOLE_OPERATIONS } from '@partner/proto-contracts/surfaces/console';
import { exampleRequests, ids, site, trailOf } from './testing/each-test-console.js';
import { cookie } from './testing/signed-in-console.js';
import { PEOPLE } from './testing/test-job-state.js';

const ENTRIES = '/partner-api/audit-entries';

async function listed(query: string) {
  const response = await site.request('get', `${ENTRIES}${query}`, { cookie }).expect(200);
  return auditPage.parse(response.body);
}

test('the audit trail is the company’s own, and is paginated', async () => {
  for (const email of [PEOPLE.salesOwner, PEOPLE.installerOwner, PEOPLE.installerOwner]) {
    await site.signIn(email);
  }
  const first = await listed('?action=session.started&limit=2');
  const rest = await listed(`?action=session.started&limit=2&cursor=${first.nextCursor ?? ''}`);
  expect([...first.entries, ...rest.entries]).toEqual(await trailOf(ids.sunny, 'session.started'));
  expect([first.entries.length, rest.entries.length, rest.nextCursor]).toEqual([2, 1, null]);
});

test('every change sends its owner, the address and the browser to job-state [CONSOLE-11]', async () => {
  const changes = CONSOLE_OPERATIONS.filter(
    ({ method, path }) => method !== 'get' && !path.startsWith('/partner-api/session'),
  );
  for (const { method, path, body } of changes.flatMap(exampleRequests)) {
    const sent = site.request(method, path, { cookie, address: '203.0.113.7', body });
    await sent.set('user-agent', 'Browser/1.0');
  }
  const company = { companyId: ids.sunny, companyClass: 'INSTALLER' };
  const person = { membershipId: ids.olive, displayName: 'Olive Owner' };
  const client = { remoteAddress: '203.0.113.7', userAgent: 'Browser/1.0' };
  const caller = { kind: 'owner', ...company, role: 'owner', ...person, ...client };
  const called = site.jobState.calledForOwners();
  expect(new Set(called.map(({ operation }) => operation)).size).toBeGreaterThan(20);
  for (const call of called) expect(call).toEqual({ operation: call.operation, caller });
});
