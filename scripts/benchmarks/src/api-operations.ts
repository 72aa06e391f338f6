import { randomUUID } from 'node:crypto';
import { jobFeedResponse } from '@partner/proto-contracts/resources/feed-entry/feed-entry';
import { leadCreated } from '@partner/proto-contracts/resources/lead/lead';
import { invariant } from '@partner/kernel/process/invariant';
import type { ApiInstaller, ApiJob, ApiSeller, ApiWorld } from './fill-api.js';
import type { HttpResponse, HttpCall, HttpClient } from './http-client.js';

export type SendRequest = (number: number) => Promise<HttpResponse>;

export interface ApiOperation {
  readonly name: string;
  readonly surface: 'inbound-gateway' | 'installer-gateway';
  readonly writes: boolean;
  prepare(slice: ApiSlice): Promise<SendRequest>;
}

interface ApiSlice {
  readonly http: HttpClient;
  readonly world: ApiWorld;
  /** The companies of the inbound requests. Other slices use others, because of the rate limit. */
  readonly sellers: readonly ApiSeller[];
}

const FEED_PAGE = '/partner/v1/jobs?limit=50';
const DAY = { startsAt: '2026-09-04T13:00:00Z', endsAt: '2026-09-04T21:00:00Z' };

export const API_OPERATIONS: readonly ApiOperation[] = [
  jobWrite('status event', (job) => {
    const status = job.status === 'EN_ROUTE' ? 'ON_SITE' : 'EN_ROUTE';
    const body = { status, occurredAt: new Date().toISOString(), expectedVersion: job.version };
    return { call: { method: 'POST', path: 'status-events', status: 201 }, body, after: { status } };
  }),
  inbound('new lead', async () => (seller, number) => newLead(seller, String(number))),
  installer('job read', async ({ jobs }) => (_, number) => {
    const job = pick(jobs, number);
    return { path: `/partner/v1/jobs/${job.id}`, apiKey: job.installer.apiKey };
  }),
  installer('feed page of 50', async () => ({ apiKey }) => ({ path: FEED_PAGE, apiKey })),
  installer('feed poll, 304', async ({ installers }, http) => {
    const polls = new Map<ApiInstaller, Pick<HttpCall, 'path' | 'headers'>>();
    for (const company of installers) polls.set(company, await pollOf(http, company));
    return (company) => ({ apiKey: company.apiKey, status: 304, ...polls.get(company) });
  }),
  jobWrite('schedule', (job) => {
    const body = { status: 'CONFIRMED', ...DAY, timeZone: 'America/Chicago', expectedVersion: job.version };
    return { call: { method: 'PUT', path: 'schedule', status: 200 }, body };
  }),
  jobWrite('technicians of a job', (job) => {
    const membershipIds = job.installer.technicianIds.slice(job.version % 10, (job.version % 10) + 2);
    const body = { membershipIds, expectedVersion: job.version };
    return { call: { method: 'PUT', path: 'assignments', status: 200 }, body };
  }),
  inbound('note', async () => (seller, number) => ({
    method: 'POST',
    path: `/inbound/jobs/${pick(seller.jobIds, number)}/status`,
    apiKey: seller.contractorKey,
    headers: { 'idempotency-key': randomUUID() },
    body: JSON.stringify({ note: 'The gate code is 4711.' }),
    status: 200,
  })),
  inbound('appointment', async ({ http, sellers }) => {
    const leads = new Map<ApiSeller, string>();
    for (const seller of sellers) {
      const { text } = await http.send(newLead(seller, randomUUID()));
      leads.set(seller, leadCreated.parse(JSON.parse(text)).leadId);
    }
    return (seller) => ({
      method: 'POST',
      path: '/inbound/appointments',
      apiKey: seller.generalKey,
      body: JSON.stringify({ leadId: leads.get(seller), ...DAY, idempotencyKey: randomUUID() }),
      status: 201,
    });
  }),
];

function jobWrite(
  name: string,
  compose: (job: ApiJob) => {
    /** The path is relative to the job's. */
    readonly call: Pick<HttpCall, 'method' | 'path' | 'status'>;
    readonly body: unknown;
    readonly after?: Partial<ApiJob>;
  },
): ApiOperation {
  return {
    name,
    surface: 'installer-gateway',
    writes: true,
    prepare: async ({ http, world: { jobs } }) => {
      return async () => {
        const job = jobs.shift();
        invariant(job, 'there are more jobs than connections');
        const { call, body, after } = compose(job);
        const response = await http.send({
          ...call,
          path: `/partner/v1/jobs/${job.id}/${call.path}`,
          apiKey: job.installer.apiKey,
          headers: { 'idempotency-key': randomUUID() },
          body: JSON.stringify(body),
        });
        jobs.push({ ...job, ...after, version: job.version + 1 });
        return response;
      };
    },
  };
}

/** What a read differs in from one of the first page of the feed. */
type Read = Pick<HttpCall, 'apiKey'> & Partial<Pick<HttpCall, 'path' | 'headers' | 'status'>>;

function installer(
  name: string,
  prepare: (world: ApiWorld, http: HttpClient) => Promise<(company: ApiInstaller, number: number) => Read>,
): ApiOperation {
  return {
    name,
    surface: 'installer-gateway',
    writes: false,
    prepare: async ({ http, world }) => {
      const compose = await prepare(world, http);
      const read = { method: 'GET', path: FEED_PAGE, status: 200 } as const;
      return (number) => http.send({ ...read, ...compose(pick(world.installers, number), number) });
    },
  };
}

function inbound(
  name: string,
  prepare: (slice: ApiSlice) => Promise<(seller: ApiSeller, number: number) => HttpCall>,
): ApiOperation {
  return {
    name,
    surface: 'inbound-gateway',
    writes: true,
    prepare: async (slice) => {
      const compose = await prepare(slice);
      return (number) => slice.http.send(compose(pick(slice.sellers, number), number));
    },
  };
}

function newLead(seller: ApiSeller, house: string): HttpCall {
  return {
    method: 'POST',
    path: '/inbound/leads',
    apiKey: seller.generalKey,
    headers: { 'idempotency-key': randomUUID() },
    body: JSON.stringify({
      fullName: 'Ada Quill',
      email: 'ada.quill@example.com',
      phone: '+1 512 555 0100',
      address: `${house} North Elm Street, Austin, TX 78701`,
    }),
    status: 201,
  };
}

async function pollOf(http: HttpClient, { apiKey }: ApiInstaller) {
  const { nextCursor } = jobFeedResponse.parse(JSON.parse(await http.get(FEED_PAGE, apiKey)));
  const path = `${FEED_PAGE}&cursor=${encodeURIComponent(nextCursor ?? '')}`;
  const { headers } = await http.send({ method: 'GET', path, apiKey, status: 200 });
  return { path, headers: { 'if-none-match': headers.etag ?? '' } };
}

function pick<T>(items: readonly T[], number: number): T {
  const item = items.at(number % items.length);
  invariant(item !== undefined, 'there are items');
  return item;
}
