import { beforeAll, describe, expect, test } from '@jest/globals';
import { createApiKey } from '@partner/kernel/security/api-key';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { keyLookups } from '../../testing/key-lookups.js';
import { untilLockWaits } from '../../testing/lock-waits.js';
import { insertApiKey, insertCompany, TEST_NOW } from '../../testing/test-jobs.js';
import { Registry } from 'prom-client';
import { startKeyUsage } from './start-key-usage.js';
import { database } from '../../testing/file-database.js';

let seller: string;
let installer: string;

beforeAll(async () => {
  seller = await insertCompany(database, 'SALES');
  installer = await insertCompany(database, 'INSTALLER');
});

/** The requests of a gateway. */
const gateway = (used: string[] = []) => keyLookups({ database }, used);

const insertKey = (
  companyId: string,
  kind: 'general' | 'installer-company' | 'installer-contractor',
  more: Omit<Parameters<typeof insertApiKey>[1], 'companyId'> = {},
) => insertApiKey(database, { companyId, kind, ...more });

const startUsage = () =>
  startKeyUsage({ database, logger: silentLogger, metrics: new Registry(), intervalMs: 3_600_000 });

describe('an API key', () => {
  test('has a principal with its limit or its bound installer, and its use is recorded', async () => {
    const used: string[] = [];
    const own = await insertKey(installer, 'installer-company');
    const bound = await insertKey(seller, 'installer-contractor', { boundCompanyId: installer });
    const limited = 'update companies set installer_requests_per_minute = 120 where id = $1';
    await database.query(limited, [installer]);
    expect(await gateway(used).authenticateKey(own)).toMatchObject({
      ...{ companyId: installer, companyClass: 'INSTALLER', kind: 'installer-company' },
      installerRequestsPerMinute: 120,
    });
    expect(await gateway(used).authenticateKey(bound)).toMatchObject({
      ...{ companyId: seller, companyClass: 'SALES', kind: 'installer-contractor' },
      boundCompanyId: installer,
    });
    expect(used).toEqual([own.keyId, bound.keyId]);
  });

  test('that is unknown, wrong, expired or revoked is refused with the same message and without a recorded use [AUTH-10]', async () => {
    const used: string[] = [];
    const good = await insertKey(seller, 'general');
    const expired = await insertKey(seller, 'general', { expiresAt: TEST_NOW });
    const revoked = await insertKey(seller, 'general', { revokedAt: TEST_NOW });
    const { secretSha256 } = createApiKey('sandbox');
    const refusal = { reason: 'unauthenticated', message: 'the API key is not valid' };
    for (const attempt of [
      { keyId: newId('key'), secretSha256: good.secretSha256 },
      { keyId: good.keyId, secretSha256 },
      { keyId: newId('key'), secretSha256: Buffer.alloc(32) },
      ...[expired, revoked],
    ]) {
      await expect(gateway(used).authenticateKey(attempt)).rejects.toMatchObject(refusal);
    }
    expect(used).toEqual([]);
  });

  test('has its last use written later, never an older one over a newer one [AUTH-10]', async () => {
    const key = await insertKey(seller, 'general');
    const later = new Date(TEST_NOW.getTime() + 5_000);
    for (const uses of [[TEST_NOW, later], [TEST_NOW]]) {
      const usage = startUsage();
      for (const at of uses) usage.note(key.keyId, at);
      await usage.stop();
    }
    const found = await database.query('select last_used_at from api_keys where id = $1', [key.keyId]);
    expect(found).toEqual([{ last_used_at: later }]);
  });
});

test('the uses of keys are written in the order of their ids, so that two replicas cannot deadlock', async () => {
  const keys = [await insertKey(seller, 'general'), await insertKey(seller, 'general')];
  const [first, last] = keys.map(({ keyId }) => keyId).sort();
  invariant(first !== undefined && last !== undefined, 'there are two keys');
  const usage = startUsage();
  usage.note(last, TEST_NOW);
  usage.note(first, TEST_NOW);
  const lock = 'select 1 from api_keys where id = $1 for no key update';
  const written = await database.transaction(async (tx) => {
    await tx.query(lock, [first]);
    const writing = usage.stop();
    await untilLockWaits(database);
    await tx.query(lock, [last]);
    return { writing };
  });
  await written.writing;
  expect(
    await database.query('select distinct last_used_at from api_keys where id in ($1, $2)', [first, last]),
  ).toEqual([{ last_used_at: TEST_NOW }]);
});
