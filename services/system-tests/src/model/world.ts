import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  JobCreatedSchema,
  JobReadinessChangedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import type { ContractorJob } from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import type { InstallerJob } from '@partner/proto-contracts/resources/job/job';
import { newId } from '@partner/kernel/ids';
import { addCompany, addKey, addTechnicians, type Technician } from '../support/companies.js';
import type { TestStack } from '../support/test-stack.js';
import type { PlannedJob } from './plan.js';
import type { Caller } from './requests.js';

/** A job as it was created; nothing of it changes in a run. */
export interface WorldJob {
  readonly id: string;
  readonly sellerId: string;
  readonly shown: Pick<InstallerJob, 'id' | 'company' | 'customer' | 'scope' | 'documents'>;
  readonly listed: Pick<ContractorJob, 'id' | 'workOrderNo' | 'address' | 'city' | 'state' | 'zip'>;
  /** The seller's view. */
  readonly readiness: InstallerJob['readiness'];
}

/** Two sellers and two installer companies of one run, with keys, technicians and jobs. */
export interface World {
  readonly installers: readonly Caller[];
  /** By seller and installer company. */
  readonly contractors: readonly (readonly Caller[])[];
  /** By installer company. */
  readonly technicians: ReadonlyMap<string, readonly Technician[]>;
  readonly jobs: ReadonlyMap<string, WorldJob>;
}

/** Creates a world that shares nothing with the worlds of other runs. */
export async function createWorld(stack: TestStack, planned: readonly PlannedJob[]): Promise<World> {
  const { database } = stack;
  const technicians = new Map<string, readonly Technician[]>();
  const addInstaller = async (): Promise<Caller> => {
    const kind = 'installer-company';
    const { id, apiKeys } = await addCompany(database, {
      class: 'INSTALLER',
      keys: [kind],
      installerRequestsPerMinute: 1_000_000,
    });
    technicians.set(id, await addTechnicians(database, id, 4));
    return { companyId: id, kind, boundCompanyId: undefined, apiKey: apiKeys[0] ?? '' };
  };
  const installers = [await addInstaller(), await addInstaller()];
  const addSeller = () => addCompany(database, { class: 'SALES', keys: [] });
  const sellers = [await addSeller(), await addSeller()];
  const contractors = await Promise.all(
    sellers.map(({ id: companyId }) =>
      Promise.all(
        installers.map(async ({ companyId: boundCompanyId }): Promise<Caller> => {
          const kind = 'installer-contractor';
          const apiKey = await addKey(stack, { companyId, kind, boundCompanyId });
          return { companyId, kind, boundCompanyId, apiKey };
        }),
      ),
    ),
  );
  const jobs = planned.map((job) => worldJob(job, sellers[job.seller]?.id ?? ''));
  const messages = await Promise.all(jobs.map((job) => announce(stack, job)));
  await stack.messagesAreSettled(messages.flat());
  return {
    installers,
    contractors,
    technicians,
    jobs: new Map(jobs.map((job) => [job.id, job])),
  };
}

function worldJob(planned: PlannedJob, sellerId: string): WorldJob {
  const id = newId('job');
  const address = { line1: '7 Harbor Street', city: 'Austin', state: 'TX', zip: '78701' };
  const { line1, ...place } = address;
  return {
    id,
    sellerId,
    listed: { id, workOrderNo: `WO ${id}`, address: line1, ...place },
    shown: {
      id,
      company: { id: sellerId, name: `Company ${sellerId}` },
      customer: { name: `Grace of ${id}`, phone: '+1 512 555 0111', address },
      scope: {
        packageName: 'Heat pump',
        systemType: 'HVAC',
        equipment: [{ name: 'Outdoor unit', model: null, quantity: 1 }],
        accessories: [],
        supplierSources: [],
        scopeVersion: 1,
      },
      documents: [],
    },
    readiness: planned.unready
      ? { ready: false, blockerCodes: ['PERMIT'] }
      : { ready: true, blockerCodes: [] },
  };
}

/** Publishes a job and its readiness; returns the ids of the messages. */
async function announce(stack: TestStack, job: WorldJob): Promise<string[]> {
  const { id: jobId, sellerId: sellingCompanyId, listed, shown, readiness } = job;
  const occurredAt = timestampFromDate(new Date());
  const { name, phone, address } = shown.customer;
  const { packageName, systemType, equipment, scopeVersion } = shown.scope;
  return [
    await stack.publishFromPlatform(JobCreatedSchema, {
      jobId,
      version: 1,
      sellingCompanyId,
      ...(listed.workOrderNo === null ? {} : { workOrderNo: listed.workOrderNo }),
      customer: { name, phone, ...address },
      scope: {
        packageName,
        systemType,
        equipment: equipment.map(({ model: _, ...item }) => item),
        scopeVersion,
      },
      occurredAt,
    }),
    await stack.publishFromPlatform(JobReadinessChangedSchema, {
      jobId,
      version: 2,
      ...readiness,
      occurredAt,
    }),
  ];
}
