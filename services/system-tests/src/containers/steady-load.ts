import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceName } from '@partner/local-stack/stack/services';
import { eventually } from '@partner/test-kit/eventually';
import type { Call, HttpResponse } from '@partner/test-kit/http-call';
import { SEED } from '@partner/test-kit/seeded-random';
import type { AcknowledgedLead, AcknowledgedWrite } from '../deliveries/delivery-history.js';
import { followFeeds, partnerCompany, type PartnerReaders } from '../deliveries/partner-readings.js';
import { timed } from '../deliveries/patient-calls.js';
import { createWorkload } from '../deliveries/workload.js';
import { call } from '../support/http-call.js';
import type { OwnerSession } from '../support/owner-session.js';
import { publishNewJob } from '../support/platform-job.js';
import type { TestStack } from '../support/test-stack.js';

/** Interval between two requests of a client, not a wait for a state. */
const PACE_MS = 150;

export interface LoadReport {
  readonly reads: number;
  readonly writes: readonly AcknowledgedWrite[];
  readonly leads: readonly AcknowledgedLead[];
  readonly platformJobIds: readonly string[];
  readonly companyIds: readonly string[];
  readonly partners: PartnerReaders;
}

/** Clients that go on until they are stopped. */
export interface SteadyLoad {
  /** Resolves once this many more writes have been acknowledged. */
  untilWritten(more: number): Promise<void>;
  /** Ends the load once every request has its response. Rejects with the first failure of a client. */
  stop(): Promise<LoadReport>;
}

/**
 * Begins a steady load on all five services: writes of an installer and a selling company, which both follow their feeds, an owner's
 * pages, and the platform's messages. A client repeats only what a rate limit refused, after `retry-after`: what fails otherwise
 * has failed. A replica whose Redis was too slow allows its share of a limit, a tenth in the charts.
 */
export async function startSteadyLoad(options: {
  readonly stack: TestStack;
  readonly urlOf: (service: ServiceName) => string;
  readonly session: OwnerSession;
}): Promise<SteadyLoad> {
  const { stack, urlOf, session } = options;
  const [installer, seller] = [stack.company('INSTALLER'), stack.company('SALES')];
  const baseUrl = urlOf('installer-gateway');
  const platformJobIds: string[] = [];
  const assignments: AcknowledgedWrite[] = [];
  let reads = 0;
  let isOver = false;

  async function succeed(what: string, send: () => Promise<HttpResponse>): Promise<HttpResponse> {
    for (;;) {
      const response = await send();
      if (response.status < 300) return response;
      if (response.status !== 429) throw new Error(`${what}: ${response.status} ${response.text}`);
      await delay(Number(response.headers.get('retry-after')) * 1_000);
    }
  }
  async function repeat(work: () => Promise<void>): Promise<void> {
    while (!isOver) {
      await work();
      await delay(PACE_MS);
    }
  }
  const read = (what: string, send: () => Promise<HttpResponse>) =>
    repeat(async () => {
      await succeed(what, send);
      reads += 1;
    });

  function send(path: string, request: Call): Promise<HttpResponse> {
    const url = path.startsWith('/inbound/') ? urlOf('inbound-gateway') : baseUrl;
    return succeed(path, () => call(url, path, request));
  }

  const partners = followFeeds([installer, seller].map(partnerCompany), send);
  const workload = createWorkload(
    { ...stack, baseUrl },
    { installers: [installer], sellers: [seller] },
    { seed: SEED, pauseMs: { least: PACE_MS, most: PACE_MS }, send },
  );
  await workload.prepare();
  const clients = Promise.allSettled([
    workload.run(() => isOver),
    read('a page', () => session.call('GET', '/partner-api/webhooks')),
    repeat(async () => {
      const job = { sellingCompanyId: seller.id, installerCompanyId: installer.id };
      const { result: jobId, ...when } = await timed(() => publishNewJob(stack, job));
      platformJobIds.push(jobId);
      const tells = [{ name: 'install.job_assigned', resourceId: jobId, resourceVersion: 1 }];
      assignments.push({ ...when, companyId: installer.id, tells });
    }),
  ]);

  return {
    async untilWritten(more) {
      const goal = workload.writes.length + more;
      await eventually(`${more} more writes`, () => workload.writes.length >= goal);
    },
    async stop() {
      isOver = true;
      for (const client of await clients) if (client.status === 'rejected') throw client.reason;
      const [writes, companyIds] = [
        [...workload.writes, ...assignments],
        [installer.id, seller.id],
      ];
      return { reads, writes, leads: workload.leads, platformJobIds, companyIds, partners };
    },
  };
}
