import { createHash } from 'node:crypto';
import { fromBinary } from '@bufbuild/protobuf';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { KeyRevokedSchema } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import type { ApiKey } from '@partner/proto-contracts/resources/api-key/api-key';
import { parseApiKey } from '@partner/kernel/security/api-key';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { holdTransaction } from '../../testing/hold-transaction.js';
import { untilLockWaits } from '../../testing/lock-waits.js';
import { connectAccess } from '../../testing/access-client.js';
import { refusalOf } from '../../testing/refusal-of.js';
import { keyLookups } from '../../testing/key-lookups.js';
import {
  insertAssignedJob,
  insertCompany,
  jobAssignedMessage,
  recordForTest,
  TEST_NOW,
} from '../../testing/test-jobs.js';
import { database } from '../../testing/file-database.js';

const HOUR_MS = 3_600_000;

let seller: string;
let installer: string;
let now = TEST_NOW;

beforeEach(async () => {
  now = TEST_NOW;
  seller = await insertCompany(database, 'SALES');
  installer = await insertCompany(database, 'INSTALLER');
});

const deps = () => ({
  ...{ database, clock: () => now, logger: silentLogger },
  environment: 'production' as const,
});
const client = () => connectAccess(deps());
const gateway = () => keyLookups(deps());

/** Creates a key of the seller. */
const createKey = (body: object) => client().createKey({ companyId: seller }, { body });

/** Rotates a key of the seller. */
const rotateKey = (id: string, overlapHours: number, companyId = seller) =>
  client().rotateKey({ companyId }, { params: { id }, body: { overlapHours } });

/** Revokes a key of the seller. */
const revokeKey = (id: string, companyId = seller) => client().revokeKey({ companyId }, { params: { id } });

/** Creates a general key of the seller; returns its id and text. */
async function created(companyId = seller): Promise<{ readonly id: string; readonly text: string }> {
  const { key, apiKey } = await client().createKey({ companyId }, { body: { kind: 'general' } });
  return { id: key.id, text: apiKey };
}

/** Whether the gateway's lookup of the key succeeds. */
async function isAccepted(text: string): Promise<boolean> {
  const parsed = parseApiKey(text, 'production');
  invariant(parsed, 'the text has the form of a key of the environment');
  const [looked] = await Promise.allSettled([gateway().authenticateKey(parsed)]);
  return looked.status === 'fulfilled';
}

async function revocationsOf(keyId: string): Promise<number> {
  const messages = await database.query<{ body: Buffer }>(
    `select body from outbox where exchange = 'partner.access' and type = $1`,
    [KeyRevokedSchema.typeName],
  );
  return messages.filter(({ body }) => fromBinary(KeyRevokedSchema, body).keyId === keyId).length;
}

async function listed(companyId = seller): Promise<readonly ApiKey[]> {
  return (await client().listKeys({ companyId })).keys;
}

async function move(jobId: string, installerCompanyId: string, occurredAt: Date): Promise<void> {
  const message = jobAssignedMessage({ jobId, installerCompanyId, version: 3, occurredAt });
  await database.transaction((tx) => recordForTest(tx, message, occurredAt));
}

const inDays = (days: number, from = TEST_NOW) =>
  new Date(from.getTime() + days * 24 * HOUR_MS).toISOString();

describe('creating a key', () => {
  test('returns a key that works at once, and stores only its hash and its last four characters', async () => {
    const { key, apiKey } = await createKey({ kind: 'general', description: 'Website' });
    expect(apiKey).toMatch(/^key_[0-9a-z]{26}\.svc_live_[0-9A-Za-z]{38}$/);
    expect(apiKey.startsWith(`${key.id}.`)).toBe(true);
    const shown = { kind: 'general', description: 'Website', state: 'active' };
    expect(key).toMatchObject({ ...shown, lastFour: apiKey.slice(-4) });
    expect(await isAccepted(apiKey)).toBe(true);
    const secret = apiKey.slice(apiKey.indexOf('.') + 1);
    const [row] = await database.query<{ row: string; sha256: Buffer }>(
      'select api_keys::text as row, secret_sha256 as sha256 from api_keys where id = $1',
      [key.id],
    );
    expect(row?.sha256).toEqual(createHash('sha256').update(secret).digest());
    expect(row?.row).not.toContain(secret);
    const audited = 'select from audit_entries a where strpos(a::text, $1) > 0';
    expect(await database.query(audited, [secret])).toEqual([]);
  });

  test.each([
    ['SALES', 'installer-company'],
    ['INSTALLER', 'general'],
    ['ACCOUNTING', 'general'],
    ['ACCOUNTING', 'installer-company'],
  ] as const)(
    'is refused to a company of class %s for the kind %s [CONSOLE-9]',
    async (companyClass, kind) => {
      const companyId = await insertCompany(database, companyClass);
      const refusal = await refusalOf(client().createKey({ companyId }, { body: { kind } }));
      expect(refusal.reason).toBe('key_kind_not_allowed');
      expect(await listed(companyId)).toEqual([]);
    },
  );

  test('of kind automation ends after 90 days or sooner, and keeps its networks, for every class [AUTH-16, AUTH-17, CONSOLE-9]', async () => {
    const networks = ['203.0.113.0/24', '2001:db8::/48'];
    for (const companyClass of ['SALES', 'INSTALLER', 'ACCOUNTING'] as const) {
      const companyId = await insertCompany(database, companyClass);
      const made = (body: object) =>
        client().createKey({ companyId }, { body: { kind: 'automation', ...body } });
      const [usual, short] = [await made({}), await made({ expiresInDays: 7, networks })];
      expect(usual.key).toMatchObject({ state: 'active', expiresAt: inDays(90) });
      expect(usual.key).not.toHaveProperty('networks');
      expect(short.key).toMatchObject({ state: 'expiring', expiresAt: inDays(7), networks });
      now = new Date(inDays(7));
      expect([await isAccepted(usual.apiKey), await isAccepted(short.apiKey)]).toEqual([true, false]);
      now = TEST_NOW;
    }
  });

  test.each([
    ['networks.1', { kind: 'automation', networks: ['203.0.113.0/24', '203.0.113.9'] }, 'in CIDR notation'],
    ['networks.0', { kind: 'automation', networks: ['203.0.113.0/33'] }, 'in CIDR notation'],
    ['networks.0', { kind: 'automation', networks: ['2001:db8::/129'] }, 'in CIDR notation'],
    ['networks', { kind: 'automation', networks: [] }, 'at least 1'],
    ['networks', { kind: 'automation', networks: Array(21).fill('203.0.113.0/24') }, 'at most 20'],
    ['networks', { kind: 'general', networks: ['203.0.113.0/24'] }, 'must be omitted'],
    ['expiresInDays', { kind: 'automation', expiresInDays: 91 }, 'at most 90'],
    ['expiresInDays', { kind: 'general', expiresInDays: 1 }, 'must be omitted'],
    ['boundCompanyId', { kind: 'automation', boundCompanyId: 'cmp_1' }, 'must be omitted'],
  ])('refuses %s of %j, and says what would be right [AUTH-16, AUTH-17]', async (path, body, text) => {
    const { reason, message } = await refusalOf(createKey(body));
    expect([reason, message]).toEqual(['invalid_argument', expect.stringContaining(`${path}: `)]);
    expect(message).toContain(text);
  });

  test('of kind automation is refused to an operator, also by a rotation [AUTH-16]', async () => {
    const { key } = await createKey({ kind: 'automation' });
    const operator = { companyId: seller, operator: 'Grace' };
    const created = client().createKey(operator, { body: { kind: 'automation' } });
    expect((await refusalOf(created)).reason).toBe('key_kind_not_allowed');
    const rotated = client().rotateKey(operator, { params: { id: key.id }, body: {} });
    expect((await refusalOf(rotated)).reason).toBe('key_not_rotatable');
    expect((await listed()).map(({ id }) => id)).toEqual([key.id]);
  });

  test('binds a contractor key to an installer that has, or had, a job of the company [CONSOLE-9]', async () => {
    const other = await insertCompany(database, 'INSTALLER');
    const jobId = await insertAssignedJob(database, seller, installer);
    await move(jobId, other, new Date(TEST_NOW.getTime() + HOUR_MS));
    for (const boundCompanyId of [installer, other]) {
      const { key } = await createKey({ kind: 'installer-contractor', boundCompanyId });
      expect(key.boundCompany).toMatchObject({ id: boundCompanyId, name: 'installer company' });
    }
  });

  test('binds to no other company, and does not reveal whether it exists [CONSOLE-9]', async () => {
    const otherSeller = await insertCompany(database, 'SALES');
    await insertAssignedJob(database, otherSeller, installer);
    const refusals = await Promise.all(
      [installer, otherSeller, seller, newId('cmp')].map((boundCompanyId) =>
        refusalOf(createKey({ kind: 'installer-contractor', boundCompanyId })),
      ),
    );
    expect(new Set(refusals.map(({ message }) => message)).size).toBe(1);
    expect(new Set(refusals.map(({ reason }) => reason))).toEqual(new Set(['installer_not_bindable']));
  });

  test('by an operator binds it to any installer company before the first assignment, and to no other company [CONSOLE-9]', async () => {
    const next = await insertCompany(database, 'INSTALLER');
    const by = { companyId: seller, operator: 'Grace' };
    const bind = (boundCompanyId: string) =>
      client().createKey(by, { body: { kind: 'installer-contractor', boundCompanyId } });
    const { key } = await bind(next);
    expect(key.boundCompany).toMatchObject({ id: next });
    const { installers } = await client().listInstallers({ companyId: seller });
    expect(installers.map(({ id }) => id)).toContain(next);
    for (const other of [seller, newId('cmp'), await insertCompany(database, 'ACCOUNTING')]) {
      expect(await refusalOf(bind(other))).toMatchObject({
        reason: 'installer_not_bindable',
        message: 'boundCompanyId: must be an installer company',
      });
    }
  });

  test('stops at 20 keys in force, also for concurrent requests [CONSOLE-8]', async () => {
    for (let count = 0; count < 19; count += 1) await created();
    // Blocks the creation of keys, but not their count.
    const holder = await holdTransaction(database, (tx) => tx.query('lock table api_keys in exclusive mode'));
    const both = Promise.allSettled([created(), created()]);
    await untilLockWaits(database, 2);
    await holder.release();
    expect((await both).map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await refusalOf(created())).reason).toBe('key_limit_reached');
    const [revoked, expired, ...others] = await listed();
    expect(others).toHaveLength(18);
    await created(await insertCompany(database, 'SALES'));
    // Only keys in force count.
    await revokeKey(revoked?.id ?? '');
    await created();
    await database.query('update api_keys set expires_at = $2 where id = $1', [expired?.id, now]);
    await created();
  });
});

describe('rotating a key', () => {
  test('creates one of the same kind, and the old one expires after the overlap [CONSOLE-10]', async () => {
    await insertAssignedJob(database, seller, installer);
    const same = { kind: 'installer-contractor', description: 'Order desk' };
    const made = await createKey({ ...same, boundCompanyId: installer });
    const rotated = await rotateKey(made.key.id, 24);
    expect(rotated.key).toMatchObject({ ...same, boundCompany: { id: installer }, state: 'active' });
    const replaced = { id: made.key.id, state: 'expiring', replacedBy: rotated.key.id };
    expect(rotated.previous).toMatchObject({ ...replaced, expiresAt: inDays(1) });
    for (const [ago, isPreviousAccepted] of [
      [1, true],
      [0, false],
    ] as const) {
      now = new Date(TEST_NOW.getTime() + 24 * HOUR_MS - ago);
      expect(await isAccepted(made.apiKey)).toBe(isPreviousAccepted);
      expect(await isAccepted(rotated.apiKey)).toBe(true);
    }
    expect((await listed()).map(({ state }) => state)).toEqual(['active', 'expired']);
    expect(await revocationsOf(made.key.id)).toBe(0);
  });

  test('of kind automation keeps its networks, and lasts as long as the old one did, from now on [AUTH-16, AUTH-17]', async () => {
    const networks = ['203.0.113.0/24'];
    const { key } = await createKey({ kind: 'automation', expiresInDays: 30, networks });
    now = new Date(inDays(29));
    const { key: next, previous } = await rotateKey(key.id, 168);
    expect(next).toMatchObject({ state: 'active', expiresAt: inDays(30, now), networks });
    expect(previous).toMatchObject({ state: 'expiring', expiresAt: inDays(30) });
    await database.query(`update api_keys set expires_at = created_at + interval '400 days' where id = $1`, [
      next.id,
    ]);
    expect((await rotateKey(next.id, 0)).key.expiresAt).toBe(inDays(90, now));
  });

  test('never extends the lifetime of the old one [CONSOLE-10]', async () => {
    const { id } = await created();
    const end = new Date(TEST_NOW.getTime() + HOUR_MS);
    await database.query('update api_keys set expires_at = $2 where id = $1', [id, end]);
    const { previous } = await rotateKey(id, 168);
    expect(previous.expiresAt).toBe(end.toISOString());
  });

  test('is refused for one that was replaced, revoked or has expired [CONSOLE-10]', async () => {
    const [replaced, revoked, expired] = [await created(), await created(), await created()];
    const rotate = (keyId: string) => rotateKey(keyId, 1);
    const outcomes = await Promise.allSettled([rotate(replaced.id), rotate(replaced.id)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await revokeKey(revoked.id);
    await database.query('update api_keys set expires_at = $2 where id = $1', [expired.id, now]);
    for (const { id } of [replaced, revoked, expired]) {
      expect((await refusalOf(rotate(id))).reason).toBe('key_not_rotatable');
    }
    expect(await listed()).toHaveLength(4);
  });

  test('counts both keys, unless there is no overlap: the old one is then revoked, and it is broadcast [CONSOLE-8]', async () => {
    const { id, text } = await created();
    for (let count = 1; count < 20; count += 1) await created();
    expect((await refusalOf(rotateKey(id, 1))).reason).toBe('key_limit_reached');
    expect(await isAccepted(text)).toBe(true);
    expect((await listed()).map(({ state }) => state)).not.toContain('expiring');
    await rotateKey(id, 0);
    expect(await isAccepted(text)).toBe(false);
    expect(await revocationsOf(id)).toBe(1);
  });
});

test('revoking a key takes effect, and is broadcast each time', async () => {
  const { id, text } = await created();
  for (let repeat = 0; repeat < 2; repeat += 1) await revokeKey(id);
  expect(await isAccepted(text)).toBe(false);
  expect(await revocationsOf(id)).toBe(2);
});

describe('the installers of a company', () => {
  test('are those that its jobs are or were assigned to, once each, page by page [CONSOLE-9]', async () => {
    const other = await insertCompany(database, 'INSTALLER');
    const never = await insertCompany(database, 'INSTALLER');
    const jobId = await insertAssignedJob(database, seller, installer);
    await insertAssignedJob(database, seller, installer);
    await move(jobId, other, new Date(TEST_NOW.getTime() + HOUR_MS));
    const otherSeller = await insertCompany(database, 'SALES');
    await insertAssignedJob(database, otherSeller, never);

    const ids = [installer, other].sort();
    const query = { limit: '1' };
    const page = await client().listInstallers({ companyId: seller }, { query });
    expect(page.installers).toMatchObject([{ id: ids[0], name: 'installer company' }]);
    expect(page.nextCursor).toBe(ids[0]);
    const rest = await client().listInstallers({ companyId: seller }, { query, after: ids[0] ?? '' });
    expect(rest.installers.map(({ id }) => id)).toEqual([ids[1]]);
    expect(rest.nextCursor).toBeNull();
    expect((await client().listInstallers({ companyId: installer })).installers).toEqual([]);
  });
});
