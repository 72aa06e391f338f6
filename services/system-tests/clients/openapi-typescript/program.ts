import createClient from 'openapi-fetch';
import type { paths } from './schema.js';

const settings = (name: string): string => process.env[name] ?? '';
const lead = {
  fullName: 'Ada Quill',
  email: 'ada@example.com',
  phone: '+1 512 555 0100',
  address: settings('UNIQUE') + ' Main Street',
};
const versionOf = (entries: readonly { resource: { id: string; version: number } }[]): number =>
  entries.findLast(({ resource }) => resource.id === settings('JOB_ID'))?.resource.version ?? 0;

const baseUrl = settings('BASE_URL');
const seller = createClient<paths>({ baseUrl, headers: { 'x-api-key': settings('SELLER_KEY') } });
const installer = createClient<paths>({ baseUrl, headers: { 'x-api-key': settings('INSTALLER_KEY') } });
const owner = createClient<paths>({ baseUrl, headers: { cookie: settings('COOKIE') } });

function dataOf<T>(result: { data?: T; error?: unknown }): T {
  if (result.data === undefined) throw new Error(JSON.stringify(result.error));
  return result.data;
}

const { leadId } = dataOf(await seller.POST('/inbound/leads', { body: lead }));
const { resources } = dataOf(
  await installer.GET('/partner/v1/jobs', { params: { query: { from: 'start', limit: 100 } } }),
);
const { resource } = dataOf(
  await installer.POST('/partner/v1/jobs/{id}/status-events', {
    params: { path: { id: settings('JOB_ID') }, header: { 'Idempotency-Key': settings('UNIQUE') } },
    body: {
      status: 'ACKNOWLEDGED',
      occurredAt: new Date().toISOString(),
      expectedVersion: versionOf(resources),
    },
  }),
);
const { state } = dataOf(
  await owner.POST('/partner-api/webhooks/{id}/pause', {
    params: { path: { id: settings('WEBHOOK_ID') }, header: { Origin: settings('ORIGIN') } },
  }),
);
console.log(JSON.stringify({ leadId, version: resource.version, state }));
