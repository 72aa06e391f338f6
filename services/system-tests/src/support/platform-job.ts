import { timestampNow } from '@bufbuild/protobuf/wkt';
import { jobResponse, type InstallerJob } from '@partner/proto-contracts/resources/job/job';
import {
  JobAssignedSchema,
  JobCreatedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/job_messages_pb';
import { jobCreated } from '@partner/local-stack/demo/platform';
import { newId } from '@partner/kernel/process/ids';
import { eventually } from '@partner/test-kit/eventually';
import type { Pool } from 'pg';
import { call, callUntilResponse, expectStatus } from './http-call.js';
import { apiKeyOf, type TestStack } from './test-stack.js';

/** Creates a job and assigns it as the platform does. Resolves to its id once the broker has taken both messages. */
export async function publishNewJob(
  stack: Pick<TestStack, 'publishFromPlatform'>,
  job: { readonly sellingCompanyId: string; readonly installerCompanyId: string },
): Promise<string> {
  const jobId = newId('job');
  const { sellingCompanyId, installerCompanyId } = job;
  await stack.publishFromPlatform(JobCreatedSchema, jobCreated({ jobId, sellingCompanyId }));
  const occurredAt = timestampNow();
  await stack.publishFromPlatform(JobAssignedSchema, { jobId, version: 2, installerCompanyId, occurredAt });
  return jobId;
}

/** Creates a job and assigns it as the platform does. Resolves to what its installer reads. */
export async function assignNewJob(
  stack: Pick<TestStack, 'publishFromPlatform' | 'baseUrl' | 'database'>,
  job: {
    readonly sellingCompanyId: string;
    readonly installerCompanyId: string;
    readonly installerKey: string;
  },
): Promise<InstallerJob> {
  const jobId = await publishNewJob(stack, job);
  await waitUntilAssigned(stack.database, [jobId]);
  const response = await callUntilResponse(stack.baseUrl, `/partner/v1/jobs/${jobId}`, {
    headers: { 'x-api-key': job.installerKey },
  });
  return jobResponse.parse(response.json).resource;
}

/** As {@link assignNewJob}: of the first seller of the sandbox, to its first installer company. */
export function assignSandboxJob(
  stack: Pick<TestStack, 'publishFromPlatform' | 'baseUrl' | 'database' | 'company'>,
): Promise<InstallerJob> {
  const installer = stack.company('INSTALLER');
  return assignNewJob(stack, {
    sellingCompanyId: stack.company('SALES').id,
    installerCompanyId: installer.id,
    installerKey: apiKeyOf(installer, 'installer-company'),
  });
}

/** Reports a status as the first installer company of the sandbox. Resolves to the job at its new version. */
export async function reportStatus(
  stack: Pick<TestStack, 'baseUrl' | 'company'>,
  job: Pick<InstallerJob, 'id' | 'version'>,
  report: { readonly status: InstallerJob['status']; readonly note?: string },
  headers: Readonly<Record<string, string>> = {},
): Promise<InstallerJob> {
  const apiKey = apiKeyOf(stack.company('INSTALLER'), 'installer-company');
  const sent = call(stack.baseUrl, `/partner/v1/jobs/${job.id}/status-events`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'idempotency-key': newId('evt'), ...headers },
    body: { ...report, occurredAt: new Date().toISOString(), expectedVersion: job.version },
  });
  const response = await expectStatus(201, sent);
  return jobResponse.parse(response.json).resource;
}

/** Resolves once jobs of the platform are there and assigned. Queries the database: a request would count towards a limit. */
export async function waitUntilAssigned(
  database: Pick<Pool, 'query'>,
  jobIds: readonly string[],
): Promise<void> {
  await eventually('the jobs that the platform has assigned are there', async () => {
    const found = await database.query(
      'select 1 from jobs where id = any($1) and installer_company_id is not null',
      [jobIds],
    );
    return found.rowCount === jobIds.length;
  });
}
