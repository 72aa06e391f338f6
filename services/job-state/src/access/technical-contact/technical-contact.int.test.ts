import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { connectAccess } from '../../testing/access-client.js';
import { insertCompany, TEST_NOW } from '../../testing/test-jobs.js';
import { database } from '../../testing/file-database.js';

const HOUR_MS = 3_600_000;

let now = TEST_NOW;
let companyId: string;

beforeEach(async () => {
  now = TEST_NOW;
  companyId = await insertCompany(database, 'SALES');
});

const client = () => connectAccess({ database, clock: () => now });

const newToken = () => randomBytes(32).toString('hex');

async function request(email: string, tokenSha256 = newToken(), of = companyId) {
  await client().requestTechnicalContact({ companyId: of, operator: 'olga' }, { email, tokenSha256 });
  return tokenSha256;
}

const contact = (of = companyId) => client().getTechnicalContact({ companyId: of });

const trail = () =>
  database.query(
    `select action, subject_id as "subjectId", display_name as "displayName", details->>'email' as email
     from audit_entries where company_id = $1 order by id`,
    [companyId],
  );

describe('a technical contact', () => {
  test('is pending until its token confirms it, with an entry in the audit trail for each step', async () => {
    expect(await contact()).toEqual({ email: null, confirmedAt: null, pending: null });
    const token = await request('dev@peak.example');
    const pending = await contact();
    expect(pending).toMatchObject({ email: null, pending: { email: 'dev@peak.example' } });
    await client().useTechnicalContactToken({ tokenSha256: token });
    const confirmed = await contact();
    expect(confirmed).toMatchObject({ email: 'dev@peak.example', pending: null });
    expect(confirmed.confirmedAt).toBe(TEST_NOW.toISOString());
    const entry = { subjectId: companyId, email: 'dev@peak.example' };
    expect(await trail()).toEqual([
      { ...entry, action: 'technical_contact.requested', displayName: 'operator: olga' },
      { ...entry, action: 'technical_contact.confirmed', displayName: null },
    ]);
  });

  test('stays while another address is pending [ANNOUNCE-2]', async () => {
    await client().useTechnicalContactToken({ tokenSha256: await request('one@peak.example') });
    const token = await request('two@peak.example');
    const pending = { email: 'two@peak.example' };
    expect(await contact()).toMatchObject({ email: 'one@peak.example', pending });
    await client().useTechnicalContactToken({ tokenSha256: token });
    expect(await contact()).toMatchObject({ email: 'two@peak.example' });
  });
});

describe('a token', () => {
  const refused = { reason: 'not_found', message: 'no such pending technical contact' };

  test('works for 72 hours [ANNOUNCE-2]', async () => {
    const [early, late] = [await request('dev@peak.example'), await insertCompany(database, 'SALES')];
    const lateToken = await request('late@peak.example', newToken(), late);
    const end = new Date(TEST_NOW.getTime() + 72 * HOUR_MS);
    expect((await contact()).pending?.expiresAt).toBe(end.toISOString());
    now = new Date(end.getTime() - 1);
    await client().useTechnicalContactToken({ tokenSha256: early });
    now = end;
    const tooLate = client().useTechnicalContactToken({ tokenSha256: lateToken });
    await expect(tooLate).rejects.toMatchObject(refused);
    expect((await contact(late)).pending).toBeNull();
  });

  test('is invalidated by the next address, and an unknown one confirms nothing [ANNOUNCE-2]', async () => {
    const former = await request('one@peak.example');
    await request('two@peak.example');
    for (const tokenSha256 of [former, newToken()]) {
      await expect(client().useTechnicalContactToken({ tokenSha256 })).rejects.toMatchObject(refused);
    }
    expect(await contact()).toMatchObject({ pending: { email: 'two@peak.example' } });
    expect(await trail()).toHaveLength(2);
  });
});

test('an unknown company and an invalid address change nothing [ANNOUNCE-4]', async () => {
  const unknown = request('dev@peak.example', newToken(), 'cmp_unknown');
  await expect(unknown).rejects.toMatchObject({ reason: 'not_found' });
  await expect(request('dev at peak')).rejects.toMatchObject({
    reason: 'invalid_argument',
    message: expect.stringMatching(/^email: /),
  });
  expect((await contact()).pending).toBeNull();
  expect(await trail()).toEqual([]);
});
