import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  JobAssignedSchema,
  JobCreatedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import { subscriptionCreated } from '@partner/proto-contracts/public-api/webhook-subscription';
import type { InstallerJob } from '@partner/proto-contracts/public-api/installer-job';
import { createApiKey } from '@partner/kernel/api-key';
import { newId } from '@partner/kernel/ids';
import { invariant } from '@partner/kernel/invariant';
import { eventually } from '@partner/test-kit/eventually';
import { createActiveSubscription, signIn } from '../support/owner-session.js';
import type { TestStack } from '../support/test-stack.js';
import type { Caller, PublishedAssignment } from './history.js';
import type { Markers } from './markers.js';
import { PROJECT_PLACE } from './places.js';
import type { Plan } from './plan.js';
import type { Platform } from './platform.js';

/** A subscription of a company of a run. */
export interface WorldSubscription {
  readonly id: string;
  readonly companyId: string;
  /** Where its webhooks arrive. */
  readonly path: string;
  /** The names that it takes. */
  readonly takes: (event: string) => boolean;
  readonly isActive: boolean;
}

/** A company of a run. */
export interface WorldCompany {
  readonly id: string;
  readonly name: string;
  readonly class: 'SALES' | 'INSTALLER';
  readonly technicians: readonly {
    readonly membershipId: string;
    readonly displayName: string;
    readonly active: boolean;
  }[];
}

/** A job of a run as it is before anybody has changed it. */
export interface WorldJob {
  readonly id: string;
  readonly sellerId: string;
  readonly projectId: string | undefined;
  readonly workOrderNo: string;
  readonly initialInstallerId: string | null;
  readonly initialNote: string | null;
  /** What an installer may see of it and nobody changes in a run. */
  readonly shown: Pick<InstallerJob, 'id' | 'company' | 'customer' | 'scope' | 'documents'>;
  /** The selling side's view of readiness. */
  readonly readiness: InstallerJob['readiness'];
}

/** Everything that a run's clients find: companies with keys, jobs and subscriptions of their own. */
export interface World {
  readonly sellers: readonly [WorldCompany, WorldCompany];
  readonly installers: readonly [WorldCompany, WorldCompany];
  readonly companies: readonly WorldCompany[];
  readonly jobs: readonly WorldJob[];
  readonly subscriptions: readonly WorldSubscription[];
  /** The assignments with which the run begins. */
  readonly assignments: readonly PublishedAssignment[];
  /** Clients of the installer companies, two for each. */
  readonly installerCallers: readonly Caller[];
  /** Clients with general keys, one for each seller. */
  readonly generalCallers: readonly Caller[];
  /** Clients with installer-contractor keys: for each seller one for each installer. */
  readonly contractorCallers: readonly (readonly [Caller, Caller])[];
}

/** The version of the message that assigns a job for the first time. */
const FIRST_ASSIGNMENT = 10;

interface WorldDeps {
  readonly stack: Pick<TestStack, 'database' | 'baseUrl' | 'companies' | 'receiverUrl'>;
  readonly platform: Pick<Platform, 'tell'>;
  readonly markers: Markers;
}

/**
 * Makes companies, keys, technicians, owners, subscriptions and jobs that no other run has. Whatever a company has holds
 * markers, and wherever the database takes it there are canaries: fields that an installer's view of a job must not have.
 */
export async function createWorld(deps: WorldDeps, plan: Plan): Promise<World> {
  const sellers = [await createCompany(deps, 'SALES'), await createCompany(deps, 'SALES')] as const;
  const installers = [
    await createCompany(deps, 'INSTALLER'),
    await createCompany(deps, 'INSTALLER'),
  ] as const;
  const companies = [...sellers, ...installers];
  const installerCallers: Caller[] = [];
  for (const { id } of installers) {
    for (let client = 0; client < 2; client += 1) {
      installerCallers.push(await createKey(deps, id, 'installer-company', undefined));
    }
  }
  const generalCallers: Caller[] = [];
  const contractorCallers: [Caller, Caller][] = [];
  for (const { id } of sellers) {
    generalCallers.push(await createKey(deps, id, 'general', undefined));
    contractorCallers.push([
      await createKey(deps, id, 'installer-contractor', installers[0].id),
      await createKey(deps, id, 'installer-contractor', installers[1].id),
    ]);
  }
  const subscriptions = await Promise.all(companies.map((company) => subscribe(deps, company)));
  const { jobs, assignments } = await createJobs(deps, plan, { sellers, installers });
  return {
    sellers,
    installers,
    companies,
    jobs,
    assignments,
    subscriptions: subscriptions.flat(),
    installerCallers,
    generalCallers,
    contractorCallers,
  };
}

async function createCompany(
  { stack, markers }: WorldDeps,
  companyClass: WorldCompany['class'],
): Promise<WorldCompany> {
  const id = newId('cmp');
  const visibility =
    companyClass === 'SALES'
      ? ({ to: 'company and its installers', companyId: id } as const)
      : ({ to: 'company', companyId: id } as const);
  markers.register(id, visibility);
  const name = `${companyClass} ${markers.mark(visibility)}`;
  await stack.database.query(
    'insert into companies (id, name, class, installer_requests_per_minute) values ($1, $2, $3, $4)',
    [id, name, companyClass, companyClass === 'INSTALLER' ? 1_000_000 : null],
  );
  const technicians = Array.from({ length: companyClass === 'INSTALLER' ? 4 : 0 }, (_, place) => {
    const membershipId = newId('mem');
    markers.register(membershipId, { to: 'company', companyId: id });
    const displayName = `Technician ${place} ${markers.mark({ to: 'company', companyId: id })}`;
    return { membershipId, displayName, active: place < 3 };
  });
  for (const { membershipId, displayName, active } of technicians) {
    await stack.database.query(
      `insert into memberships (id, company_id, role, display_name, active) values ($1, $2, 'TECHNICIAN', $3, $4)`,
      [membershipId, id, displayName, active],
    );
  }
  return { id, name, class: companyClass, technicians };
}

async function createKey(
  { stack, markers }: WorldDeps,
  companyId: string,
  kind: Caller['kind'],
  boundCompanyId: string | undefined,
): Promise<Caller> {
  const key = createApiKey('sandbox');
  markers.secret(key.text.slice(key.text.indexOf('.') + 1));
  await stack.database.query(
    `insert into api_keys (id, company_id, kind, bound_company_id, secret_sha256, last_four)
     values ($1, $2, $3, $4, $5, $6)`,
    [key.keyId, companyId, kind, boundCompanyId ?? null, key.secretSha256, key.lastFour],
  );
  return { companyId, kind, boundCompanyId, apiKey: key.text };
}

/** Two active subscriptions that overlap, and one that stays paused and must get nothing. */
async function subscribe({ stack, markers }: WorldDeps, company: WorldCompany): Promise<WorldSubscription[]> {
  const [anyCompany] = stack.companies(company.class);
  invariant(anyCompany, 'the sandbox has companies of each class');
  const email = markers.secret(`owner-${company.id}@owners.example`);
  await stack.database.query(
    `insert into memberships (id, company_id, role, display_name, email, password_hash)
     select $1, $2, 'OWNER', $3, $4, password_hash from memberships where email = $5`,
    [newId('mem'), company.id, `Owner ${company.id}`, email, anyCompany.owner.email],
  );
  const owner = await signIn(stack.baseUrl, { email, password: anyCompany.owner.password });
  const patterns =
    company.class === 'SALES'
      ? ['appointment.*', 'appointment.booked']
      : ['install.*', 'install.status_changed'];
  const active = patterns.map(async (pattern, place) => {
    const path = `/model/${company.id}/${place}`;
    const { id, secret } = await createActiveSubscription(owner, {
      url: new URL(path, stack.receiverUrl).href,
      events: [pattern],
    });
    markers.secret(secret);
    const takes = (event: string) =>
      pattern.endsWith('.*') ? event.startsWith(pattern.slice(0, -1)) : event === pattern;
    return { id, companyId: company.id, path, takes, isActive: true };
  });
  const paused = async () => {
    const path = `/model/${company.id}/paused`;
    const answer = await owner.call('POST', '/partner-api/webhooks', {
      url: new URL(path, stack.receiverUrl).href,
      events: patterns.slice(0, 1),
    });
    const { subscription, secret } = subscriptionCreated.parse(answer.json);
    markers.secret(secret);
    return { id: subscription.id, companyId: company.id, path, takes: () => true, isActive: false };
  };
  return Promise.all([...active, paused()]);
}

async function createJobs(
  deps: WorldDeps,
  plan: Plan,
  {
    sellers,
    installers,
  }: {
    readonly sellers: readonly [WorldCompany, WorldCompany];
    readonly installers: readonly [WorldCompany, WorldCompany];
  },
): Promise<Pick<World, 'jobs' | 'assignments'>> {
  const { stack, platform } = deps;
  const projects = sellers.map(() => newId('prj'));
  const jobs = plan.jobs.map((planned) => {
    const seller = planned.seller === 0 ? sellers[0] : sellers[1];
    const installer = planned.installer === null ? undefined : installers[planned.installer];
    const projectId = planned.withProject ? projects[planned.seller] : undefined;
    if (projectId !== undefined) deps.markers.register(projectId, { to: 'company', companyId: seller.id });
    return plannedJob(deps.markers, planned, { seller, installerId: installer?.id ?? null, projectId });
  });
  for (const { created } of jobs) await platform.tell(JobCreatedSchema, created);
  const ids = jobs.map(({ job }) => job.id);
  await eventually('the jobs of the run are there', async () => {
    const found = await stack.database.query('select 1 from jobs where id = any($1)', [ids]);
    return found.rowCount === ids.length;
  });
  for (const { job, extra } of jobs) {
    await stack.database.query(
      `update jobs set customer = customer || $2::jsonb,
         scope = scope || $3::jsonb || jsonb_build_object('equipment',
           (select jsonb_agg(item || $3::jsonb) from jsonb_array_elements(scope -> 'equipment') as item)),
         documents = $4, readiness_ready = $5, readiness_blocker_codes = $6
       where id = $1`,
      [
        job.id,
        JSON.stringify(extra.customer),
        JSON.stringify(extra.scope),
        JSON.stringify(job.shown.documents.map((document) => ({ ...document, ...extra.document }))),
        job.readiness.ready,
        job.readiness.blockerCodes,
      ],
    );
  }
  const assignments: PublishedAssignment[] = [];
  for (const { job } of jobs) {
    if (job.initialInstallerId === null) continue;
    const sentAt = performance.now();
    const messageId = await platform.tell(JobAssignedSchema, {
      jobId: job.id,
      version: FIRST_ASSIGNMENT,
      installerCompanyId: job.initialInstallerId,
      occurredAt: timestampFromDate(new Date()),
    });
    assignments.push({
      messageId,
      jobId: job.id,
      installerCompanyId: job.initialInstallerId,
      version: FIRST_ASSIGNMENT,
      sentAt,
    });
  }
  await eventually('the jobs of the run are assigned', async () => {
    const found = await stack.database.query(
      'select 1 from jobs where id = any($1) and installer_company_id is not null',
      [ids],
    );
    return found.rowCount === assignments.length;
  });
  for (const { job } of jobs) {
    await stack.database.query('update jobs set installer_note = $2 where id = $1', [
      job.id,
      job.initialNote,
    ]);
  }
  return { jobs: jobs.map(({ job }) => job), assignments };
}

function plannedJob(
  markers: Markers,
  planned: Plan['jobs'][number],
  given: {
    readonly seller: WorldCompany;
    readonly installerId: string | null;
    readonly projectId: string | undefined;
  },
): {
  readonly job: WorldJob;
  readonly created: MessageInitShape<typeof JobCreatedSchema>;
  readonly extra: Readonly<Record<'customer' | 'scope' | 'document', object>>;
} {
  const { seller, projectId } = given;
  const id = newId('job');
  const visibility = { to: 'viewers of job', jobId: id } as const;
  markers.register(id, visibility);
  const mark = () => markers.mark(visibility);
  const address =
    projectId === undefined
      ? { line1: `7 Harbor Street ${mark()}`, city: `Austin ${mark()}`, state: 'TX', zip: '78701' }
      : {
          line1: PROJECT_PLACE.line1,
          city: PROJECT_PLACE.city,
          state: PROJECT_PLACE.state,
          zip: PROJECT_PLACE.zip,
        };
  const customer = { name: `Grace ${mark()}`, phone: mark(), ...address };
  const documentId = newId('doc');
  markers.register(documentId, visibility);
  const scope = {
    packageName: `Heat pump ${mark()}`,
    systemType: 'HVAC',
    equipment: [{ name: `Outdoor unit ${mark()}`, model: 'HP-36', quantity: 1 }],
    accessories: [{ name: 'Line set', model: null, quantity: 2 }],
    supplierSources: [{ name: `Supply house ${mark()}`, reference: null }],
    scopeVersion: 1,
  };
  const workOrderNo = `WO ${mark()}`;
  const job: WorldJob = {
    id,
    sellerId: seller.id,
    projectId,
    workOrderNo,
    initialInstallerId: given.installerId,
    initialNote:
      planned.manyNotes && given.installerId !== null
        ? `${markers.mark({ to: 'company', companyId: seller.id })} ${'n'.repeat(17_900)}`
        : null,
    readiness: planned.unready
      ? { ready: false, blockerCodes: ['PERMIT'] }
      : { ready: true, blockerCodes: [] },
    shown: {
      id,
      company: { id: seller.id, name: seller.name },
      customer: {
        name: customer.name,
        phone: customer.phone,
        address,
      },
      scope,
      documents: [
        {
          id: documentId,
          category: 'SCOPE',
          mime: 'application/pdf',
          availableAt: '2026-09-01T08:00:00.000Z',
        },
      ],
    },
  };
  return {
    job,
    created: {
      jobId: id,
      version: 1,
      sellingCompanyId: seller.id,
      workOrderNo,
      ...(projectId === undefined ? {} : { projectId }),
      customer,
      scope: {
        ...scope,
        accessories: scope.accessories.map(({ name, quantity }) => ({ name, quantity })),
        supplierSources: scope.supplierSources.map(({ name }) => ({ name })),
      },
      occurredAt: timestampFromDate(new Date()),
    },
    extra: {
      customer: forbiddenFields(markers),
      scope: forbiddenFields(markers),
      document: { url: markers.canary(), ...forbiddenFields(markers) },
    },
  };
}

/** Fields that an installer's view of a job never has (spec: What the service does 6), with what would give them away. */
export function forbiddenFields(
  markers: Pick<Markers, 'canary' | 'canaryNumber'>,
): Readonly<Record<string, unknown>> {
  return {
    email: `${markers.canary()}@customers.example`,
    price: markers.canaryNumber(),
    cost: markers.canaryNumber(),
    margin: markers.canary(),
    financing: { lender: markers.canary(), apr: markers.canary() },
    payments: [{ amount: markers.canaryNumber(), reference: markers.canary() }],
    signature: { image: markers.canary(), by: markers.canary() },
  };
}
