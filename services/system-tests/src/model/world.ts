import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  JobCreatedSchema,
  JobReadinessChangedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import type { ContractorJob } from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import type { InstallerJob } from '@partner/proto-contracts/resources/job/job';
import type { KeyKindName } from '@partner/proto-contracts/api/scopes';
import { subscriptionCreated } from '@partner/proto-contracts/resources/subscription/subscription';
import { newId } from '@partner/kernel/ids';
import { addCompany, addKey, addOwner, addTechnicians, type Technician } from '../support/companies.js';
import { createActiveSubscription } from '../support/owner-session.js';
import type { TestStack } from '../support/test-stack.js';
import { PROJECT_PLACE } from './places.js';
import type { PlannedJob } from './plan.js';
import type { Caller } from './requests.js';

/** A subscription of a company of a run. */
export interface WorldSubscription {
  readonly id: string;
  readonly companyId: string;
  /** Path of its endpoint. */
  readonly path: string;
  readonly takes: (event: string) => boolean;
}

/** A job as it was created; nothing of it changes in a run. */
export interface WorldJob {
  readonly id: string;
  readonly sellerId: string;
  readonly projectId: string | undefined;
  readonly shown: Pick<InstallerJob, 'id' | 'company' | 'customer' | 'scope' | 'documents'>;
  readonly listed: Pick<ContractorJob, 'id' | 'workOrderNo' | 'address' | 'city' | 'state' | 'zip'>;
  /** The seller's view. */
  readonly readiness: InstallerJob['readiness'];
}

/** Two sellers and two installer companies of one run, with keys, technicians, jobs and subscriptions. */
export interface World {
  readonly installers: readonly Caller[];
  readonly sellers: readonly Caller[];
  /** By seller and installer company. */
  readonly contractors: readonly (readonly Caller[])[];
  /** By installer company. */
  readonly technicians: ReadonlyMap<string, readonly Technician[]>;
  readonly jobs: ReadonlyMap<string, WorldJob>;
  readonly subscriptions: readonly WorldSubscription[];
}

/** Ids of the companies of a world. */
export function companiesOf({ installers, sellers }: Pick<World, 'installers' | 'sellers'>): string[] {
  return [...installers, ...sellers].map(({ companyId }) => companyId);
}

/** Creates a world that shares nothing with the worlds of other runs. */
export async function createWorld(stack: TestStack, planned: readonly PlannedJob[]): Promise<World> {
  const { database } = stack;
  const technicians = new Map<string, readonly Technician[]>();
  const subscriptions: WorldSubscription[] = [];
  const add = async (companyClass: 'SALES' | 'INSTALLER', kind: KeyKindName): Promise<Caller> => {
    const isInstaller = companyClass === 'INSTALLER';
    const { id, apiKeys } = await addCompany(database, {
      class: companyClass,
      keys: [kind],
      ...(isInstaller ? { installerRequestsPerMinute: 1_000_000 } : {}),
    });
    if (isInstaller) technicians.set(id, await addTechnicians(database, id, 4));
    subscriptions.push(...(await subscribe(stack, id, companyClass)));
    return { companyId: id, kind, boundCompanyId: undefined, apiKey: apiKeys[0] ?? '' };
  };
  const installers = [
    await add('INSTALLER', 'installer-company'),
    await add('INSTALLER', 'installer-company'),
  ];
  const sellers = [await add('SALES', 'general'), await add('SALES', 'general')];
  const contractors = await Promise.all(
    sellers.map(({ companyId }) =>
      Promise.all(
        installers.map(async ({ companyId: boundCompanyId }): Promise<Caller> => {
          const kind = 'installer-contractor';
          const apiKey = await addKey(stack, { companyId, kind, boundCompanyId });
          return { companyId, kind, boundCompanyId, apiKey };
        }),
      ),
    ),
  );
  const projects = sellers.map(() => newId('prj'));
  const jobs = planned.map((job) => {
    const { companyId = '' } = sellers[job.seller] ?? {};
    return worldJob(job, companyId, job.withProject ? projects[job.seller] : undefined);
  });
  const messages = await Promise.all(jobs.map((job) => announce(stack, job)));
  await stack.messagesAreSettled(messages.flat());
  return {
    installers,
    sellers,
    contractors,
    technicians,
    subscriptions,
    jobs: new Map(jobs.map((job) => [job.id, job])),
  };
}

/** Two active subscriptions with overlapping events, and a paused one that must receive nothing. */
async function subscribe(
  stack: TestStack,
  companyId: string,
  companyClass: 'SALES' | 'INSTALLER',
): Promise<WorldSubscription[]> {
  const owner = await addOwner(stack, companyId);
  const [all, one] =
    companyClass === 'SALES'
      ? ['appointment.*', 'appointment.booked']
      : ['install.*', 'install.status_changed'];
  const endpoint = (name: string) => {
    const path = `/model/${companyId}/${name}`;
    return { path, url: new URL(path, stack.receiverUrl).href };
  };
  const active = [all, one].map(async (pattern) => {
    const { path, url } = endpoint(pattern);
    const { id } = await createActiveSubscription(owner, { url, events: [pattern] });
    const prefix = pattern.replace('*', '');
    return { id, companyId, path, takes: (event: string) => event.startsWith(prefix) };
  });
  const { path, url } = endpoint('paused');
  const paused = await owner.call('POST', '/partner-api/webhooks', { url, events: [all] });
  const { id } = subscriptionCreated.parse(paused.json).subscription;
  return [...(await Promise.all(active)), { id, companyId, path, takes: () => false }];
}

function worldJob(planned: PlannedJob, sellerId: string, projectId: string | undefined): WorldJob {
  const id = newId('job');
  const address =
    projectId === undefined
      ? { line1: '7 Harbor Street', city: 'Austin', state: 'TX', zip: '78701' }
      : PROJECT_PLACE.address;
  const { line1, ...place } = address;
  return {
    id,
    sellerId,
    projectId,
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
  const { id: jobId, sellerId: sellingCompanyId, projectId, listed, shown, readiness } = job;
  const occurredAt = timestampFromDate(new Date());
  const { name, phone, address } = shown.customer;
  const { packageName, systemType, equipment, scopeVersion } = shown.scope;
  return [
    await stack.publishFromPlatform(JobCreatedSchema, {
      jobId,
      version: 1,
      sellingCompanyId,
      ...(listed.workOrderNo === null ? {} : { workOrderNo: listed.workOrderNo }),
      ...(projectId === undefined ? {} : { projectId }),
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
