import { expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { operatorJob } from '@partner/proto-contracts/resources/operator-job/operator-job';
import { fixture } from '../jobs/testing/job-write-fixture.js';
import { getOperatorJob } from './get-job.js';

test('an operator reads the state and the history of a job, and nothing about its customer [OPERATE-1]', async () => {
  const jobId = await fixture.job();
  await fixture.record({ jobId, note: 'the gate code is 1234' });
  const job = await getOperatorJob(fixture.database, jobId);
  expect(operatorJob.strict().parse(job)).toEqual(job);
  expect(job).toMatchObject({
    id: jobId,
    version: 2,
    status: 'ACKNOWLEDGED',
    installerCompanyId: fixture.installer,
    history: [{ version: 2, previousStatus: 'ASSIGNED', status: 'ACKNOWLEDGED' }],
  });
  expect(JSON.stringify(job)).not.toContain('1234');
  await expect(getOperatorJob(fixture.database, newId('job'))).rejects.toMatchObject({ reason: 'not_found' });
});
