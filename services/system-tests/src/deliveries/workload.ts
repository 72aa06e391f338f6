import { setTimeout as delay } from 'node:timers/promises';
import { jobResponse } from '@partner/proto-contracts/resources/job/job';
import { leadCreated, leadMerged } from '@partner/proto-contracts/resources/lead/lead';
import type { SandboxCompany } from '@partner/local-stack/stack/stack-description';
import { newId } from '@partner/kernel/process/ids';
import type { Call, HttpResponse } from '@partner/test-kit/http-call';
import { fractionOf, seededRandom } from '@partner/test-kit/seeded-random';
import { z } from 'zod';
import { assignNewJob } from '../support/platform-job.js';
import { apiKeyOf, type TestStack } from '../support/test-stack.js';
import type { AcknowledgedLead, AcknowledgedWrite } from './delivery-history.js';
import { timed } from './patient-calls.js';

const JOBS_PER_INSTALLER = 4;
const SCHEDULES = 0.12;
const APPOINTMENT_TIMES = { startsAt: '2027-01-01T15:00:00.000Z', endsAt: '2027-01-01T16:00:00.000Z' };

const booked = z.object({ appointmentId: z.string() });
const leadResponse = z.discriminatedUnion('status', [leadCreated, leadMerged]);
/** Part of a seller's writes that are leads. */
const LEADS = 0.3;

/** Clients of several companies at once, each writing one thing after another. */
export interface Workload {
  /** Makes the jobs and the lead that the writes are about. To be called while nothing fails. */
  prepare(): Promise<void>;
  /** Writes until `isOver`, and until every request has its response. */
  run(isOver: () => boolean): Promise<void>;
  /** What was acknowledged so far, and the assignments of the preparation. */
  readonly writes: readonly AcknowledgedWrite[];
  readonly leads: readonly AcknowledgedLead[];
}

/** Installers that report status events and set schedules, and sellers that create leads and book appointments. */
export function createWorkload(
  stack: TestStack,
  companies: { readonly installers: readonly SandboxCompany[]; readonly sellers: readonly SandboxCompany[] },
  options: {
    readonly seed: number;
    /** Of each client, between two writes. */
    readonly pauseMs: { readonly least: number; readonly most: number };
    readonly send: (path: string, request: Call) => Promise<HttpResponse>;
  },
): Workload {
  const { seed, pauseMs, send } = options;
  const writes: AcknowledgedWrite[] = [];
  const leads: AcknowledgedLead[] = [];
  const clients: (() => Promise<void>)[] = [];

  async function addJob(installer: SandboxCompany, seller: SandboxCompany): Promise<void> {
    const apiKey = apiKeyOf(installer, 'installer-company');
    const sentAt = Date.now();
    const job = await assignNewJob(stack, {
      sellingCompanyId: seller.id,
      installerCompanyId: installer.id,
      installerKey: apiKey,
    });
    const jobId = job.id;
    const reported = (name: string, resourceVersion: number) => ({
      name,
      resourceId: jobId,
      resourceVersion,
    });
    writes.push({
      companyId: installer.id,
      sentAt,
      respondedAt: Date.now(),
      tells: [reported('install.job_assigned', job.version)],
    });
    let version = job.version;
    let step = 0;
    let isScheduled = false;
    const random = seededRandom(`${seed} job ${clients.length}`);
    clients.push(async () => {
      // Each job is scheduled at once: among its subscribers is the one that takes nothing.
      const isSchedule = !isScheduled || random() < SCHEDULES;
      isScheduled = true;
      const request = isSchedule
        ? { method: 'PUT', path: 'schedule', body: scheduleAt(version) }
        : { method: 'POST', path: 'status-events', body: statusAt(step) };
      const { result: response, ...when } = await timed(() =>
        send(`/partner/v1/jobs/${jobId}/${request.path}`, {
          method: request.method,
          headers: { 'x-api-key': apiKey, 'idempotency-key': newId('evt') },
          body: { ...request.body, expectedVersion: version },
        }),
      );
      if (response.status !== (isSchedule ? 200 : 201))
        throw new Error(`refused: ${response.status} ${response.text}`);
      ({ version } = jobResponse.parse(response.json).resource);
      if (!isSchedule) step += 1;
      const name = isSchedule ? 'install.schedule_changed' : 'install.status_changed';
      writes.push({ ...when, companyId: installer.id, tells: [reported(name, version)] });
    });
  }

  async function addSeller(seller: SandboxCompany): Promise<void> {
    const headers = { 'x-api-key': apiKeyOf(seller, 'general') };
    const street = Math.floor(fractionOf(seed, seller.id) * 1e6);
    const random = seededRandom(`${seed} leads of ${seller.id}`);

    /** A few addresses come again, and lead to the same lead. */
    async function createLead(number: number): Promise<string> {
      const body = {
        fullName: 'Ada Lovelace',
        email: 'ada@example.com',
        phone: '+1 512 555 0100',
        address: `${number} ${street}th Street, Austin, TX 78701`,
      };
      const response = await send('/inbound/leads', { method: 'POST', headers, body });
      const { leadId } = leadResponse.parse(response.json);
      leads.push({ companyId: seller.id, leadId, address: body.address });
      return leadId;
    }

    const leadId = await createLead(1);
    clients.push(async () => {
      if (random() < LEADS) {
        await createLead(Math.ceil(random() * 100));
        return;
      }
      const body = { leadId, ...APPOINTMENT_TIMES, idempotencyKey: newId('appt') };
      const { result: response, ...when } = await timed(() =>
        send('/inbound/appointments', { method: 'POST', headers, body }),
      );
      if (response.status !== 201 && response.status !== 200)
        throw new Error(`refused: ${response.status} ${response.text}`);
      const { appointmentId } = booked.parse(response.json);
      const tells = [{ name: 'appointment.booked', resourceId: appointmentId, resourceVersion: 1 }];
      writes.push({ ...when, companyId: seller.id, tells });
    });
  }

  return {
    writes,
    leads,
    async prepare() {
      const [seller] = companies.sellers;
      if (seller === undefined) throw new Error('a job needs a seller');
      const ofAll = companies.installers.flatMap((installer) =>
        Array.from({ length: JOBS_PER_INSTALLER }, () => addJob(installer, seller)),
      );
      await Promise.all([...ofAll, ...companies.sellers.map(addSeller)]);
    },
    async run(isOver) {
      await Promise.all(
        clients.map(async (write, place) => {
          const random = seededRandom(`${seed} pauses ${place}`);
          while (!isOver()) {
            await write();
            // The load that clients make, not a wait for a state.
            await delay(pauseMs.least + random() * (pauseMs.most - pauseMs.least));
          }
        }),
      );
    },
  };
}

/** A schedule that no other version has. */
function scheduleAt(version: number) {
  const startsAt = new Date(Date.UTC(2027, 0, 1) + version * 3_600_000);
  return {
    status: 'TENTATIVE',
    startsAt: startsAt.toISOString(),
    endsAt: new Date(startsAt.getTime() + 3_600_000).toISOString(),
    timeZone: 'America/Chicago',
  };
}

/** The status after a number of earlier ones. */
function statusAt(step: number) {
  const status = step === 0 ? 'ACKNOWLEDGED' : step % 2 === 1 ? 'EN_ROUTE' : 'ON_SITE';
  return { status, occurredAt: new Date().toISOString() };
}
