import { beforeEach, expect, test } from '@jest/globals';
import {
  type EmailOutcome,
  leaseNotificationEmailsOperation,
  type NotificationEmail,
  reportNotificationEmailOperation,
} from '@partner/proto-contracts/internal/notifications/notification-emails';
import { setNotificationSettingsOperation } from '@partner/proto-contracts/resources/notification-settings/operations';
import { newId } from '@partner/kernel/process/ids';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { notificationOperations } from './emails.js';
import { notifyOwners } from './notify-owners.js';
import { installerOwner } from '../testing/callers.js';
import { insertMember } from '../testing/test-jobs.js';
import { fixture } from '../testing/file-webhooks.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let companyId: string;
let start: Date;

beforeEach(async () => {
  await fixture.database.query('truncate memberships cascade');
  companyId = await fixture.company();
  start = new Date();
});

const member = (options: Partial<Parameters<typeof insertMember>[1]> = {}) =>
  insertMember(fixture.database, { companyId, ...options });

/** Notifies the owners of the company that an API key ends. */
async function notify(): Promise<void> {
  const keyId = newId('key');
  const expiring = {
    companyId,
    event: 'api_key.expiring',
    resource: { type: 'api_key', id: keyId, version: 1 },
    data: { keyId, lastFour: 'q7Zr', replacedBy: null, expiresAt: start.toISOString() },
  } as const;
  await fixture.database.transaction((tx) => notifyOwners(tx, expiring, start));
}

const clientAfter = (ms: number) =>
  inProcessOperations({
    implementations: notificationOperations({
      database: fixture.database,
      clock: () => new Date(start.getTime() + ms),
    }),
    callers: ['owner', 'service'],
  });

const leasedAfter = async (ms: number) =>
  (await clientAfter(ms).callInternal(leaseNotificationEmailsOperation, { limit: 100 })).emails;
const totals = async (ms: number) => (await leasedAfter(ms)).map(({ total }) => total);

async function reportAll(
  leased: readonly NotificationEmail[],
  afterMs: number,
  outcome: EmailOutcome = 'sent',
) {
  for (const { leaseId, membershipId } of leased) {
    const report = { leaseId, membershipId, outcome };
    await clientAfter(afterMs).callInternal(reportNotificationEmailOperation, report);
  }
}

const choose = (membershipId: string, emails: 'immediately' | 'daily' | 'off') =>
  clientAfter(0).call(setNotificationSettingsOperation, {
    caller: installerOwner(companyId, membershipId),
    body: { emails },
  });

test('each owner who can sign in gets the first notification at once, then one email an hour with all new ones [NOTIFY-9, NOTIFY-10]', async () => {
  const owners = [await member(), await member()];
  await member({ role: 'TECHNICIAN' });
  await member({ passwordHash: null });
  await member({ companyId: await fixture.company() });
  await notify();
  const first = await leasedAfter(0);
  expect(first.map(({ membershipId }) => membershipId).sort()).toEqual(owners.sort());
  expect(first[0]).toMatchObject({ companyName: companyId, emails: 'immediately', total: 1 });
  expect(JSON.parse(first[0]?.eventBodies[0] ?? '')).toMatchObject({ event: 'api_key.expiring' });
  // After the lease, before the report: it stays for the next email.
  await notify();
  await reportAll(first, 0);
  await notify();
  expect(await totals(HOUR_MS - 1)).toEqual([]);
  expect(await totals(HOUR_MS)).toEqual([2, 2]);
});

test('an owner who wants one email a day gets one, and one who wants none has none queued [NOTIFY-10]', async () => {
  const daily = await member();
  const off = await member();
  await choose(daily, 'daily');
  await notify();
  await choose(off, 'off');
  await notify();
  const first = await leasedAfter(0);
  expect(first).toMatchObject([{ membershipId: daily, emails: 'daily', total: 2 }]);
  await reportAll(first, 0);
  await notify();
  expect(await totals(24 * HOUR_MS - 1)).toEqual([]);
  expect(await totals(24 * HOUR_MS)).toEqual([1]);
  await choose(off, 'immediately');
  expect(await totals(24 * HOUR_MS)).toEqual([]);
  const audited = await fixture.database.query(
    `select action, subject_id, details from audit_entries where company_id = $1 order by id`,
    [companyId],
  );
  expect(audited).toMatchObject([
    { action: 'owner.updated', subject_id: daily, details: { notificationEmails: 'daily' } },
    ...['off', 'immediately'].map((emails) => ({ subject_id: off, details: { notificationEmails: emails } })),
  ]);
});

test('an email goes to one of several callers, and to another one if the first ends before its report [NOTIFY-11]', async () => {
  await member();
  await notify();
  const leases = (await Promise.all([leasedAfter(0), leasedAfter(0), leasedAfter(0)])).flat();
  expect(leases).toHaveLength(1);
  expect(await totals(5 * MINUTE_MS - 1)).toEqual([]);
  const again = await leasedAfter(5 * MINUTE_MS);
  expect(again).toMatchObject([{ total: 1 }]);
  // The report of a lease that has ended changes nothing.
  await reportAll(leases, 5 * MINUTE_MS);
  await reportAll(again, 5 * MINUTE_MS, 'failed');
  expect(await totals(10 * MINUTE_MS - 1)).toEqual([]);
  const third = await leasedAfter(10 * MINUTE_MS);
  expect(third).toMatchObject([{ total: 1 }]);
  await reportAll(third, 10 * MINUTE_MS, 'refused');
  expect(await totals(20 * HOUR_MS)).toEqual([]);
  expect(await totals(25 * HOUR_MS)).toEqual([1]);
});

test('an owner can neither read nor change the settings of another company [NOTIFY-10]', async () => {
  const stranger = await member({ companyId: await fixture.company() });
  await expect(choose(stranger, 'off')).rejects.toMatchObject({ reason: 'not_found' });
  const settings = await fixture.database.query('select 1 from notification_recipients');
  expect(settings).toEqual([]);
});
