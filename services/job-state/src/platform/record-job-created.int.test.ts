import { describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { createLead } from '../leads/create-lead.js';
import { untilLockWaits } from '../testing/lock-waits.js';
import { createGate } from '../testing/create-gate.js';
import { LEAD, insertCompany, jobCreatedMessage } from '../testing/test-jobs.js';
import { database, DONE, handle, seller, writing } from './testing/platform-fixture.js';

describe('the platform', () => {
  test('names a project with a job: a lead for its address merges into it', async () => {
    const projectId = newId('prj');
    const jobId = newId('job');
    await handle(
      jobCreatedMessage({ jobId, sellingCompanyId: seller, projectId, line1: '77 Project Street' }),
    );
    expect(
      await database.query('select company_id, lead_id, address_key from projects where id = $1', [
        projectId,
      ]),
    ).toEqual([{ company_id: seller, lead_id: null, address_key: '77 PROJECT ST BOULDER CO 80302' }]);
  });

  test('names a project that was begun before: leads for the address of the first job merge into it too', async () => {
    const projectId = newId('prj');
    await database.query('insert into projects (id, company_id) values ($1, $2)', [projectId, seller]);
    for (const line1 of ['82 Project Street', '83 Project Street']) {
      const message = jobCreatedMessage({ jobId: newId('job'), sellingCompanyId: seller, projectId, line1 });
      expect(await handle(message)).toEqual(DONE);
    }
    expect(await database.query('select address_key from projects where id = $1', [projectId])).toEqual([
      { address_key: '82 PROJECT ST BOULDER CO 80302' },
    ]);
  });

  test('names a project that another company has begun: that gets no address', async () => {
    const other = await insertCompany(database, 'SALES');
    const projectId = newId('prj');
    await database.query('insert into projects (id, company_id) values ($1, $2)', [projectId, other]);
    const message = jobCreatedMessage({
      jobId: newId('job'),
      sellingCompanyId: seller,
      projectId,
      line1: '84 Project Street',
    });
    expect(await handle(message)).toMatchObject({ kind: 'dead' });
    expect(await database.query('select address_key from projects where id = $1', [projectId])).toEqual([
      { address_key: null },
    ]);
  });

  test('names a project whose address another one has: it is created without the address, and leads merge as before [PLATFORM-4]', async () => {
    const [first, second] = [newId('prj'), newId('prj')];
    const jobs = [newId('job'), newId('job')];
    for (const [index, projectId] of [first, second].entries()) {
      const message = jobCreatedMessage({
        jobId: jobs[index] ?? '',
        sellingCompanyId: seller,
        projectId,
        line1: '78 Project Street',
      });
      expect(await handle(message)).toEqual(DONE);
    }
    expect(
      await database.query(
        'select id, company_id, address_key from projects where id = any($1::text[]) order by id',
        [[first, second]],
      ),
    ).toEqual([
      { id: first, company_id: seller, address_key: '78 PROJECT ST BOULDER CO 80302' },
      { id: second, company_id: seller, address_key: null },
    ]);
    expect(
      await database.query('select project_id from jobs where id = any($1::text[]) order by id', [jobs]),
    ).toEqual([{ project_id: first }, { project_id: second }]);
    const { result } = await createLead(writing(), {
      ...LEAD,
      companyId: seller,
      address: '78 Project St, Boulder, CO 80302',
    });
    expect(result).toMatchObject({
      kind: 'merged',
      projectId: first,
      reason: `address matches project ${first}`,
    });
  });

  test('names the project of a lead, or one project for two jobs: it stays unchanged', async () => {
    const projectId = newId('prj');
    for (const line1 of ['79 Project Street', '80 Project Street']) {
      const message = jobCreatedMessage({ jobId: newId('job'), sellingCompanyId: seller, projectId, line1 });
      expect(await handle(message)).toEqual(DONE);
    }
    expect(await database.query('select address_key from projects where id = $1', [projectId])).toEqual([
      { address_key: '79 PROJECT ST BOULDER CO 80302' },
    ]);
  });

  test('names a project or a job of another company: it is refused and nothing is created', async () => {
    const other = await insertCompany(database, 'SALES');
    const [projectId, jobId, jobOfOther] = [newId('prj'), newId('job'), newId('job')];
    await handle(
      jobCreatedMessage({ jobId, sellingCompanyId: seller, projectId, line1: '81 Project Street' }),
    );
    expect(
      await handle(jobCreatedMessage({ jobId: jobOfOther, sellingCompanyId: other, projectId })),
    ).toEqual({
      kind: 'dead',
      reason: `project ${projectId} belongs to another company`,
    });
    expect(await handle(jobCreatedMessage({ jobId, sellingCompanyId: other }))).toEqual({
      kind: 'dead',
      reason: `job ${jobId} belongs to another company`,
    });
    expect(await database.query('select id from jobs where id = $1', [jobOfOther])).toEqual([]);
    expect(await database.query('select id from projects where company_id = $1', [other])).toEqual([]);
  });
});

test('a job whose address a concurrent lead takes is recorded at once, and its project has no address [LEAD-5, PLATFORM-4]', async () => {
  const sellingCompanyId = await insertCompany(database, 'SALES');
  const [projectId, jobId] = [newId('prj'), newId('job')];
  // Known without an address, so the job adds one to it.
  await database.query('insert into projects (id, company_id) values ($1, $2)', [
    projectId,
    sellingCompanyId,
  ]);
  const [written, commit] = [createGate(), createGate()];
  const lead = createLead(
    {
      ...writing(),
      database: {
        transaction: (work, limits) =>
          database.transaction(async (tx) => {
            const result = await work(tx);
            await tx.query('select');
            written.open();
            await commit.opened;
            return result;
          }, limits),
      },
    },
    {
      ...LEAD,
      companyId: sellingCompanyId,
      address: '12 Maple Street, Boulder, CO 80302',
    },
  );
  await written.opened;
  const handled = handle(jobCreatedMessage({ jobId, sellingCompanyId, projectId }));
  await untilLockWaits(database);
  commit.open();

  const { result } = await lead;
  expect(result.kind).toBe('created');
  expect(await handled).toEqual(DONE);
  const projects = await database.query(
    'select id, address_key is not null as "hasAddress" from projects where company_id = $1 order by id = $2',
    [sellingCompanyId, projectId],
  );
  expect(projects).toEqual([
    { id: result.projectId, hasAddress: true },
    { id: projectId, hasAddress: false },
  ]);
  expect(await database.query('select project_id as id from jobs where id = $1', [jobId])).toEqual([
    { id: projectId },
  ]);
});
