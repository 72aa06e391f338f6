import { describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { createLead } from '../testing/partner-calls.js';
import { untilLockWaits } from '../testing/lock-waits.js';
import { holdingCommits } from '../testing/hold-transaction.js';
import { LEAD, insertCompany, jobCreatedMessage } from '../testing/test-jobs.js';
import { database, DONE, handle, seller, writing } from './testing/platform-fixture.js';

/** Names a project with a new job at an address. */
const named = (projectId: string, line1: string, sellingCompanyId = seller) =>
  handle(jobCreatedMessage({ jobId: newId('job'), sellingCompanyId, projectId, line1 }));

const PROJECTS = 'select id, company_id, lead_id, address_key from projects where id = any($1) order by id';
const projectsOf = (...ids: string[]) => database.query(PROJECTS, [ids]);

describe('the platform', () => {
  test.each([
    ['that is new', false],
    ['that was begun before', true],
  ])('names a project %s: leads for the address of its first job merge into it', async (_what, isKnown) => {
    const id = newId('prj');
    const line1 = `${isKnown ? 82 : 77} Project Street`;
    if (isKnown) await database.query('insert into projects (id, company_id) values ($1, $2)', [id, seller]);
    for (const address of [line1, '83 Project Street']) expect(await named(id, address)).toEqual(DONE);
    const address_key = `${isKnown ? 82 : 77} PROJECT ST BOULDER CO 80302`;
    expect(await projectsOf(id)).toEqual([{ id, company_id: seller, lead_id: null, address_key }]);
  });

  test('names a project whose address another one has: it is created without the address, and leads merge as before [PLATFORM-4]', async () => {
    const [first, second] = [newId('prj'), newId('prj')];
    for (const id of [first, second]) expect(await named(id, '78 Project Street')).toEqual(DONE);
    expect(await projectsOf(first, second)).toMatchObject([
      { id: first, address_key: '78 PROJECT ST BOULDER CO 80302' },
      { id: second, company_id: seller, address_key: null },
    ]);
    const address = '78 Project St, Boulder, CO 80302';
    const { result } = await createLead(writing(), { ...LEAD, companyId: seller, address });
    const reason = `address matches project ${first}`;
    expect(result).toMatchObject({ status: 'merged', projectId: first, reason });
  });

  test('names a project or a job of another company: it is refused and nothing is created', async () => {
    const other = await insertCompany(database, 'SALES');
    const [projectId, jobId] = [newId('prj'), newId('job')];
    await database.query('insert into projects (id, company_id) values ($1, $2)', [projectId, seller]);
    await handle(jobCreatedMessage({ jobId, sellingCompanyId: seller }));
    expect(await named(projectId, '84 Project Street', other)).toEqual({
      kind: 'dead',
      reason: `project ${projectId} belongs to another company`,
    });
    expect(await handle(jobCreatedMessage({ jobId, sellingCompanyId: other }))).toEqual({
      kind: 'dead',
      reason: `job ${jobId} belongs to another company`,
    });
    expect(await projectsOf(projectId)).toMatchObject([{ company_id: seller, address_key: null }]);
    for (const table of ['jobs where selling_company_id', 'projects where company_id']) {
      expect(await database.query(`select id from ${table} = $1`, [other])).toEqual([]);
    }
  });
});

test('a job whose address a concurrent lead takes is recorded at once, and its project has no address [LEAD-5, PLATFORM-4]', async () => {
  const sellingCompanyId = await insertCompany(database, 'SALES');
  const [projectId, jobId] = [newId('prj'), newId('job')];
  // Known without an address, so the job adds one to it.
  const insert = 'insert into projects (id, company_id) values ($1, $2)';
  await database.query(insert, [projectId, sellingCompanyId]);
  const held = holdingCommits(database);
  const address = '12 Maple Street, Boulder, CO 80302';
  const lead = createLead(held, { ...LEAD, companyId: sellingCompanyId, address });
  await held.worked;
  const handled = handle(jobCreatedMessage({ jobId, sellingCompanyId, projectId }));
  await untilLockWaits(database);
  held.commit();

  const { result } = await lead;
  expect(result.status).toBe('created');
  expect(await handled).toEqual(DONE);
  const projects = await database.query(
    'select id, address_key is not null as "hasAddress" from projects where company_id = $1 order by id = $2',
    [sellingCompanyId, projectId],
  );
  expect(projects).toEqual([
    { id: result.projectId, hasAddress: true },
    { id: projectId, hasAddress: false },
  ]);
  const ofJob = await database.query('select project_id as id from jobs where id = $1', [jobId]);
  expect(ofJob).toEqual([{ id: projectId }]);
});
