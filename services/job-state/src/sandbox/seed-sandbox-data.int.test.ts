import { verify } from '@node-rs/argon2';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { CONTRACTOR_JOB_STAGES } from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import { installerJob, JOB_STATUSES } from '@partner/proto-contracts/resources/job/job';
import { EVENT_CATALOGUE, isEventName } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import { webhookEnvelope } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { parseApiKey } from '@partner/kernel/security/api-key';
import { invariant } from '@partner/kernel/process/invariant';
import { connectAccess } from '../testing/access-client.js';
import { keyLookups } from '../testing/key-lookups.js';
import { listContractorJobs } from '../testing/partner-calls.js';
import { listEvents } from '../webhooks/events/list-events.js';
import { sandboxCompanies } from './sandbox-companies.js';
import { sandboxJobs } from './sandbox-jobs.js';
import { sandboxSales } from './sandbox-sales.js';
import { type SeededCompany, seedSandboxData } from './seed-sandbox-data.js';
import { database, testDatabase } from '../testing/file-database.js';

let companies: readonly SeededCompany[];

/** Seeds as the program does: hashes between the statements may take longer than an idle transaction may. */
const seed = () => seedSandboxData(testDatabase.connect({ idleInTransactionMs: 0 }));

beforeAll(async () => {
  companies = await seed();
});

describe('the sandbox', () => {
  test('has companies of each class whose owners can log in and whose keys are valid [SERVICE-7, SESSION-1, TENANT-1]', async () => {
    expect(
      companies
        .map((company) => company.class)
        .sort()
        .join(' '),
    ).toBe('ACCOUNTING INSTALLER INSTALLER SALES SALES');
    for (const { id, owner, keys } of companies) {
      const login = await connectAccess({ database }).findLogin(owner.email);
      expect(login).toMatchObject({ companyId: id, role: 'owner' });
      expect(login?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
      expect(await verify(login?.passwordHash ?? '', owner.password)).toBe(true);
      for (const { kind, apiKey, boundCompanyId } of keys) {
        const parsed = parseApiKey(apiKey, 'sandbox');
        invariant(parsed, 'a key of the sandbox has the form of one');
        const principal = await keyLookups({ database }).authenticateKey(parsed);
        expect(principal).toMatchObject({
          companyId: id,
          kind,
          ...(boundCompanyId !== undefined && { boundCompanyId }),
        });
      }
    }
    const kinds = companies.flatMap(({ keys }) => keys.map(({ kind }) => kind));
    expect(new Set(kinds)).toEqual(new Set(['general', 'installer-contractor', 'installer-company']));
  });

  test('has jobs in every status, with consistent feed and history [SERVICE-7]', async () => {
    const jobs = await database.query<{
      readonly status: string;
      readonly version: number;
      readonly projection: string;
      readonly entries: readonly string[];
      readonly moves: readonly string[];
    }>(
      `select status, version, projection,
         array(select resource from feed_entries
           where company_id = installer_company_id and job_id = jobs.id order by sequence) as entries,
         array(select previous_status || ' ' || status from job_status_events
           where job_id = jobs.id order by version) as moves
       from jobs`,
    );
    expect(jobs).toHaveLength(200);
    expect(new Set(jobs.map(({ status }) => status))).toEqual(new Set(JOB_STATUSES));
    for (const { version, entries, moves, projection } of jobs) {
      const shown = entries.map((resource) => installerJob.parse(JSON.parse(resource)));
      expect(shown.map((job) => job.version)).toEqual(Array.from({ length: version }, (_, n) => n + 1));
      expect(entries.at(-1)).toBe(projection);
      expect(moves).toEqual(
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
        boundCompanyId === undefined ? [] : [{ companyId: id, installerCompanyId: boundCompanyId }],
      ),
    );
    expect(contractors).toHaveLength(2);
    for (const key of contractors) {
      const { jobs } = await listContractorJobs({ database }, { ...key, take: 50 });
      expect(new Set(jobs.map(({ stage }) => stage))).toEqual(new Set(CONTRACTOR_JOB_STAGES));
      expect(jobs.filter(({ installerNote }) => installerNote !== null)).not.toHaveLength(0);
    }
  });

  test('has a year of sales and recent valid events for each class of company', async () => {
    const [span] = await database.query<{ days: number }>(
      'select extract(day from max(created_at) - min(created_at))::integer as days from leads',
    );
    expect(span?.days).toBeGreaterThanOrEqual(350);
    const names = new Set<string>();
    for (const { id, class: companyClass } of companies) {
      const { events } = await listEvents(database, {
        ...{ companyId: id, limit: 100 },
        ...{ beforeEventId: undefined, events: undefined, resourceId: undefined },
      });
      expect(events.length).toBeGreaterThan(20);
      for (const { name } of events) {
        invariant(isEventName(name), 'an event of the catalogue');
        names.add(name);
        expect(EVENT_CATALOGUE[name].classes).toContain(companyClass);
      }
    }
    const bodies = await database.query<{ id: string; body: Buffer; version: number }>(
      'select id, body, resource_version as version from events',
    );
    for (const { id, body, version } of bodies) {
      const envelope = webhookEnvelope.parse(JSON.parse(body.toString('utf8')));
      expect(envelope).toMatchObject({ id, resource: { version } });
    }
    expect([...names].sort()).toEqual(
      expect.arrayContaining(['install.job_cancelled', 'journal.payout_recorded', 'quote.accepted']),
    );
  });

  test('is deterministic [SANDBOX-1]', () => {
    const made = () => {
      const jobs = sandboxJobs(sandboxCompanies());
      return { jobs, sales: sandboxSales(jobs, ['cmp_1']) };
    };
    expect(made()).toEqual(made());
  });

  test('seeded again returns the same and keeps changed data [SANDBOX-1]', async () => {
    await database.query(`update jobs set installer_note = 'changed'`);
    const before = await database.query('select count(*) as entries from feed_entries');
    const again = await Promise.all([seed(), seed()]);
    expect(again).toEqual([companies, companies]);
    expect(await database.query('select count(*) as entries from feed_entries')).toEqual(before);
    expect(
      await database.query(`select 1 from jobs where installer_note is distinct from 'changed'`),
    ).toEqual([]);
  });
});
