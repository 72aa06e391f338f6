import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { connectAccess } from '../testing/access-client.js';
import { database } from '../testing/file-database.js';
import { connectOperators } from '../testing/public-clients.js';
import { insertCompany, TEST_NOW } from '../testing/test-jobs.js';

const announcement = '2026-08-26';

const operators = (laterMs = 0) =>
  connectOperators({ database, clock: () => new Date(TEST_NOW.getTime() + laterMs) });

async function setContact(companyId: string, email: string, isConfirmed = true): Promise<void> {
  const access = connectAccess({ database });
  const tokenSha256 = randomBytes(32).toString('hex');
  await access.requestTechnicalContact({ companyId, operator: 'olga' }, { email, tokenSha256 });
  if (isConfirmed) await access.useTechnicalContactToken({ tokenSha256 });
}

const recipients = (page: { readonly afterCompanyId?: string; readonly limit?: number } = {}) =>
  operators().listRecipients({ announcement, ...page });

const addresses = async () => (await recipients()).recipients.map(({ email }) => email);

test('an announcement is for confirmed contacts that have not received it, and recorded once for each address [ANNOUNCE-8]', async () => {
  const classes = ['SALES', 'INSTALLER', 'ACCOUNTING'] as const;
  const companies = await Promise.all(classes.map((each) => insertCompany(database, each)));
  const [first = '', second = '', third = ''] = companies.sort();
  await setContact(first, 'one@example.com');
  await setContact(second, 'two@example.com');
  await setContact(third, 'three@example.com', false);
  expect(await addresses()).toEqual(['one@example.com', 'two@example.com']);
  expect(await recipients({ limit: 1 })).toMatchObject({ recipients: [{ companyId: first }], hasMore: true });
  const rest = { recipients: [{ companyId: second }], hasMore: false };
  expect(await recipients({ limit: 1, afterCompanyId: first })).toMatchObject(rest);

  const sent = { announcement, companyId: first, email: 'one@example.com' };
  for (const email of [sent.email, 'ONE@example.com'])
    await operators().recordAnnouncement({ ...sent, email });
  expect(await addresses()).toEqual(['two@example.com']);
  expect(await operators().listAnnouncements({ announcement })).toMatchObject({
    announcements: [{ ...sent, operator: 'olga', sentAt: TEST_NOW.toISOString() }],
    hasMore: false,
  });

  await setContact(first, 'new@example.com');
  expect(await addresses()).toEqual(['new@example.com', 'two@example.com']);
});

test('of concurrent runs that claim an announcement to an address one gets it, until it is sent, released or 5 minutes old [ANNOUNCE-10]', async () => {
  const companyId = await insertCompany(database, 'SALES');
  const email = 'claimed@example.com';
  await setContact(companyId, email);
  const claim = { announcement, companyId, email };
  const isClaimedAfter = async (ms: number, of = claim) =>
    (await operators(ms).claimAnnouncement(of)).claimed;

  const claims = await Promise.all([0, 0, 0, 0].map((ms) => isClaimedAfter(ms)));
  expect(claims.filter((claimed) => claimed)).toHaveLength(1);
  expect(await isClaimedAfter(0, { ...claim, email: 'CLAIMED@example.com' })).toBe(false);
  expect(await isClaimedAfter(0, { ...claim, announcement: '2026-11-23' })).toBe(true);
  // Not sent yet: listed as a recipient, and not as sent.
  expect(await addresses()).toContain(email);
  const { announcements } = await operators().listAnnouncements({ announcement });
  expect(announcements.map((each) => each.email)).not.toContain(email);

  expect(await isClaimedAfter(5 * 60_000 - 1)).toBe(false);
  expect(await isClaimedAfter(5 * 60_000)).toBe(true);
  await operators().releaseAnnouncement(claim);
  expect(await isClaimedAfter(0)).toBe(true);
  await operators().recordAnnouncement(claim);
  await operators().releaseAnnouncement(claim);
  expect(await isClaimedAfter(60 * 60_000)).toBe(false);
  expect(await addresses()).not.toContain(email);
});

test('an invalid date and an unknown company are rejected without a record', async () => {
  const sent = { announcement, companyId: 'cmp_unknown', email: 'one@example.com' };
  await expect(operators().recordAnnouncement(sent)).rejects.toMatchObject({ reason: 'not_found' });
  await expect(operators().recordAnnouncement({ ...sent, announcement: 'today' })).rejects.toMatchObject({
    reason: 'invalid_argument',
    message: 'announcement: must be a date such as 2026-08-26',
  });
});
