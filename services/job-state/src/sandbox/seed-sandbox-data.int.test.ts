import { verify } from '@node-rs/argon2';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CONTRACTOR_JOB_STAGES } from '@partner/proto-contracts/public-api/contractor-job';
import { installerJob, JOB_STATUSES } from '@partner/proto-contracts/public-api/installer-job';
import { parseApiKey } from '@partner/runtime/api-key';
import { invariant } from '@partner/runtime/invariant';
import { authenticateKey } from '../access/authenticate-key.js';
import { getLogin } from '../access/get-login.js';
import { listContractorJobs } from '../contractor-jobs/list-contractor-jobs.js';
import type { Database } from '../database/database.js';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.js';
import { type SeededCompany, seedSandboxData } from './seed-sandbox-data.js';

let testDatabase: TestDatabase;
let database: Database;
let companies: readonly SeededCompany[];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  ({ database } = testDatabase);
  companies = await seedSandboxData(database);
});

afterAll(() => testDatabase.drop());

describe('the sandbox', () => {
  test('has companies of each class whose owners can log in and whose keys are valid', async () => {
    expect(companies.map((company) => company.class).sort()).toEqual([
      'ACCOUNTING',
      'INSTALLER',
      'INSTALLER',
      'SALES',
      'SALES',
    ]);
    for (const { id, owner, keys } of companies) {
      const login = await getLogin({ database }, owner.email);
      expect(login).toMatchObject({ companyId: id, isOwner: true });
      expect(login?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
      expect(await verify(login?.passwordHash ?? '', owner.password)).toBe(true);
      for (const { kind, apiKey, boundCompanyId } of keys) {
        const parsed = parseApiKey(apiKey, 'sandbox');
        invariant(parsed, 'a key of the sandbox has the form of one');
        const principal = await authenticateKey(
          { database, clock: () => new Date(), keyUsage: { note: () => undefined } },
          parsed,
        );
        expect(principal).toMatchObject({ companyId: id, kind, boundCompanyId: boundCompanyId ?? null });
      }
    }
    const kinds = companies.flatMap(({ keys }) => keys.map(({ kind }) => kind));
    expect(new Set(kinds)).toEqual(new Set(['general', 'installer-contractor', 'installer-company']));
  });

  test('has dozens of jobs in every status, whose feed and history tell one story', async () => {
    const jobs = await database.query<{
      id: string;
      status: string;
      version: number;
      projection: string;
      company: string;
    }>('select id, status, version, projection, installer_company_id as company from jobs');
    expect(jobs).toHaveLength(48);
    expect(new Set(jobs.map(({ status }) => status))).toEqual(new Set(JOB_STATUSES));
    for (const job of jobs) {
      const entries = await database.query<{ resource: string }>(
        'select resource from feed_entries where company_id = $1 and job_id = $2 order by sequence',
        [job.company, job.id],
      );
      const shown = entries.map(({ resource }) => installerJob.parse(JSON.parse(resource)));
      expect(shown.map(({ version }) => version)).toEqual(
        Array.from({ length: job.version }, (_, index) => index + 1),
      );
      expect(entries.at(-1)?.resource).toBe(job.projection);
      const moves = await database.query<{ move: string }>(
        `select previous_status || ' ' || status as move from job_status_events where job_id = $1 order by version`,
        [job.id],
      );
      expect(moves.map(({ move }) => move)).toEqual(
        shown.slice(1).map(({ status }, index) => `${shown[index]?.status ?? ''} ${status}`),
      );
    }
    const gaps = await database.query(
      `select head.company_id from feed_heads as head join feed_entries as entry using (company_id)
       group by head.company_id, head.last having count(*) <> head.last or max(sequence) <> head.last or min(sequence) <> 1`,
    );
    expect(gaps).toEqual([]);
  });

  test('shows each installer-contractor key jobs in every stage, some with notes', async () => {
    const contractors = companies.flatMap(({ id, keys }) =>
      keys.flatMap(({ boundCompanyId }) =>
        boundCompanyId === undefined ? [] : [{ sellingCompanyId: id, installerCompanyId: boundCompanyId }],
      ),
    );
    expect(contractors).toHaveLength(2);
    for (const boundary of contractors) {
      const jobs = await listContractorJobs(database, { ...boundary, limit: 50 });
      expect(new Set(jobs.map(({ stage }) => stage))).toEqual(new Set(CONTRACTOR_JOB_STAGES));
      expect(jobs.filter(({ installerNote }) => installerNote !== null)).not.toHaveLength(0);
    }
  });

  test('seeded again is the same and leaves what was changed meanwhile', async () => {
    await database.query(`update jobs set installer_note = 'changed'`);
    const before = await database.query('select count(*) as entries from feed_entries');
    const again = await Promise.all([seedSandboxData(database), seedSandboxData(database)]);
    expect(again).toEqual([companies, companies]);
    expect(await database.query('select count(*) as entries from feed_entries')).toEqual(before);
    expect(
      await database.query(`select 1 from jobs where installer_note is distinct from 'changed'`),
    ).toEqual([]);
  });
});
