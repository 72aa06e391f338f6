import { Configuration, ConsoleApi, InboundApi, InstallerApi } from './client/index.js';

const settings = (name: string): string => process.env[name] ?? '';
const lead = {
  fullName: 'Ada Quill',
  email: 'ada@example.com',
  phone: '+1 512 555 0100',
  address: settings('UNIQUE') + ' Main Street',
};
const versionOf = (entries: readonly { resource: { id: string; version: number } }[]): number =>
  entries.findLast(({ resource }) => resource.id === settings('JOB_ID'))?.resource.version ?? 0;

const basePath = settings('BASE_URL');
const inbound = new InboundApi(new Configuration({ basePath, apiKey: settings('SELLER_KEY') }));
const installer = new InstallerApi(new Configuration({ basePath, apiKey: settings('INSTALLER_KEY') }));
const owner = new ConsoleApi(new Configuration({ basePath, headers: { cookie: settings('COOKIE') } }));

const { leadId } = await inbound.createLead({ leadIn: lead });
const { resources } = await installer.listJobFeed({ from: 'start', limit: 100 });
const { resource } = await installer.recordStatusEvent({
  id: settings('JOB_ID'),
  idempotencyKey: settings('UNIQUE'),
  statusEventIn: { status: 'ACKNOWLEDGED', occurredAt: new Date(), expectedVersion: versionOf(resources) },
});
const { state } = await owner.pauseWebhook({ id: settings('WEBHOOK_ID'), origin: settings('ORIGIN') });
console.log(JSON.stringify({ leadId, version: resource.version, state }));
