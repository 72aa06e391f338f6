import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { jobAnswer, type InstallerJob } from '@partner/proto-contracts/public-api/installer-job';
import {
  JobAssignedSchema,
  JobCreatedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import { newId } from '@partner/runtime/ids';
import { call } from './http-call.js';
import type { TestStack } from './test-stack.js';

/** A job as the platform tells of it. */
export function jobCreated(
  jobId: string,
  sellingCompanyId: string,
): MessageInitShape<typeof JobCreatedSchema> {
  return {
    jobId,
    sellingCompanyId,
    workOrderNo: 'WO-1001',
    customer: {
      name: 'Grace Hopper',
      phone: '+1 512 555 0111',
      line1: '7 Harbor Street',
      city: 'Austin',
      state: 'TX',
      zip: '78701',
    },
    scope: {
      packageName: 'Heat pump, complete',
      systemType: 'HVAC',
      equipment: [{ name: 'Outdoor unit', model: 'HP-36', quantity: 1 }],
      accessories: [{ name: 'Line set', quantity: 1 }],
      supplierSources: [{ name: 'Supply house', reference: 'PO-7' }],
      scopeVersion: 1,
    },
    occurredAt: timestampFromDate(new Date()),
  };
}

/** Plays the platform: creates a job, assigns it, and resolves to it once the installer can read it. */
export async function assignNewJob(
  stack: Pick<TestStack, 'publishFromPlatform' | 'baseUrl'>,
  job: {
    readonly sellingCompanyId: string;
    readonly installerCompanyId: string;
    readonly installerKey: string;
  },
): Promise<InstallerJob> {
  const jobId = newId('job');
  await stack.publishFromPlatform(JobCreatedSchema, jobCreated(jobId, job.sellingCompanyId));
  await stack.publishFromPlatform(JobAssignedSchema, {
    jobId,
    installerCompanyId: job.installerCompanyId,
    occurredAt: timestampFromDate(new Date()),
  });
  return waitForJob(stack.baseUrl, jobId, job.installerKey);
}

async function waitForJob(baseUrl: string, jobId: string, installerKey: string): Promise<InstallerJob> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const answer = await call(baseUrl, `/partner/v1/jobs/${jobId}`, {
      headers: { 'x-api-key': installerKey },
    });
    if (answer.status === 200) return jobAnswer.parse(answer.json).resource;
    if (Date.now() > deadline) throw new Error(`the job does not appear: ${answer.status} ${answer.text}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
