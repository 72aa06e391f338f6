import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { confirmTechnicalContact, requestTechnicalContact } from '../access/technical-contact.js';
import { insertCompany, TEST_NOW } from '../testing/test-jobs.js';
import {
  claimAnnouncement,
  listAnnouncementRecipients,
  listAnnouncements,
  recordAnnouncement,
  releaseAnnouncement,
} from './announcements.js';
import { database } from '../testing/file-database.js';

const announcement = '2026-08-26';

const deps = () => ({ database, clock: () => TEST_NOW, logger: silentLogger });

async function setContact(companyId: string, email: string, isConfirmed = true): Promise<void> {
  const tokenSha256 = randomBytes(32);
  await requestTechnicalContact(deps(), { companyId, actor: undefined, email, tokenSha256 });
  if (isConfirmed) await confirmTechnicalContact(deps(), tokenSha256);
}

const recipients = (afterCompanyId?: string, limit = 100) =>
  listAnnouncementRecipients(database, { announcement, afterCompanyId, limit });

const addresses = async () => (await recipients()).recipients.map(({ email }) => email);

test('an announcement is for confirmed contacts that have not received it, and recorded once for each address [ANNOUNCE-8]', async () => {
  const companies = [
    await insertCompany(database, 'SALES'),
    await insertCompany(database, 'INSTALLER'),
    await insertCompany(database, 'ACCOUNTING'),
  ].sort();
  const [first = '', second = '', third = ''] = companies;
  await setContact(first, 'one@example.com');
  await setContact(second, 'two@example.com');
  await setContact(third, 'three@example.com', false);
  expect(await addresses()).toEqual(['one@example.com', 'two@example.com']);
  expect(await recipients(undefined, 1)).toMatchObject({ recipients: [{ companyId: first }], hasMore: true });
  expect(await recipients(first, 1)).toMatchObject({ recipients: [{ companyId: second }], hasMore: false });

  const sent = { announcement, companyId: first, email: 'one@example.com', operator: 'olga' };
  await recordAnnouncement(deps(), sent);
  await recordAnnouncement(deps(), { ...sent, email: 'ONE@example.com' });
  expect(await addresses()).toEqual(['two@example.com']);
  expect(await listAnnouncements(database, { announcement, beforeId: undefined, limit: 10 })).toMatchObject({
    announcements: [{ ...sent, sentAt: TEST_NOW.toISOString() }],
    hasMore: false,
  });

  await setContact(first, 'new@example.com');
  expect(await addresses()).toEqual(['new@example.com', 'two@example.com']);
});

test('of concurrent runs that claim an announcement to an address one gets it, until it is sent, released or 5 minutes old [ANNOUNCE-10]', async () => {
  const companyId = await insertCompany(database, 'SALES');
  const email = 'claimed@example.com';
  await setContact(companyId, email);
  const claim = { announcement, companyId, email, operator: 'olga' };
  const claimAfter = (ms: number, of = claim) =>
    claimAnnouncement({ ...deps(), clock: () => new Date(TEST_NOW.getTime() + ms) }, of);

  const claims = await Promise.all([0, 0, 0, 0].map((ms) => claimAfter(ms)));
  expect(claims.filter((claimed) => claimed)).toHaveLength(1);
  expect(await claimAfter(0, { ...claim, email: 'CLAIMED@example.com' })).toBe(false);
  expect(await claimAfter(0, { ...claim, announcement: '2026-11-23' })).toBe(true);
  // Not sent yet: listed as a recipient, and not as sent.
  expect(await addresses()).toContain(email);
  const sent = await listAnnouncements(database, {
    announcement,
    beforeId: undefined,
    limit: 10,
  });
  expect(sent.announcements.map((each) => each.email)).not.toContain(email);

  expect(await claimAfter(5 * 60_000 - 1)).toBe(false);
  expect(await claimAfter(5 * 60_000)).toBe(true);
  await releaseAnnouncement(deps(), claim);
  expect(await claimAfter(0)).toBe(true);
  await recordAnnouncement(deps(), claim);
  await releaseAnnouncement(deps(), claim);
  expect(await claimAfter(60 * 60_000)).toBe(false);
  expect(await addresses()).not.toContain(email);
});

test('an invalid date and an unknown company are rejected without a record', async () => {
  const sent = { announcement, companyId: 'cmp_unknown', email: 'one@example.com', operator: 'olga' };
  await expect(recordAnnouncement(deps(), sent)).rejects.toMatchObject({ reason: 'not_found' });
  await expect(recordAnnouncement(deps(), { ...sent, announcement: 'today' })).rejects.toMatchObject({
    reason: 'invalid_argument',
    message: 'announcement: must be a date such as 2026-08-26',
  });
});
