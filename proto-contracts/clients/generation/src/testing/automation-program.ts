/** A receiver without a secret: it has the public keys of its webhook. */
export const RECEIVER = `import { createServer } from 'node:http';
import { createWebhookReceiver } from '@partner/client';
import { expressHandler } from '@partner/client/express';
import { createFileStore } from '@partner/client/file-store';
const { PARTNER_URL, PARTNER_WEBHOOK_ID, PORT } = process.env;
const receiver = createWebhookReceiver({
  publicKeysUrl: PARTNER_URL + '/.well-known/webhooks/' + PARTNER_WEBHOOK_ID,
  store: createFileStore('public-keys-state'),
  onEvent: (event) => console.log('verified', event.event, event.resource.id),
});
createServer(expressHandler(receiver)).listen(Number(PORT));
`;

/** Takes one step with a job: changes it, has its deliveries listed or retried by an automation key, or reads what was recorded. */
export const STEPS = `import { createMemoryStore, createPartnerClient, followEvents, reconcile } from '@partner/client';
import { createFileStore } from '@partner/client/file-store';
const [step, job] = process.argv.slice(2);
const { PARTNER_URL: baseUrl, PARTNER_API_KEY: apiKey, AUTOMATION_KEY, PARTNER_WEBHOOK_ID: webhook } = process.env;
const partner = createPartnerClient({ baseUrl, apiKey });
const automation = createPartnerClient({ baseUrl, apiKey: AUTOMATION_KEY });
const path = { id: job };
const deliveries = async () => {
  const query = { resourceId: job };
  const page = await automation.GET('/automation/v1/webhooks/{id}/deliveries', { params: { path: { id: webhook }, query } });
  return page.deliveries.map(({ id, event, state, waitsFor }) => ({ id, event, state, waitsFor }));
};
const steps = {
  async change() {
    const status = { status: 'ACKNOWLEDGED', occurredAt: new Date().toISOString(), expectedVersion: 1 };
    await partner.POST('/partner/v1/jobs/{id}/status-events', { params: { path }, body: status });
    const times = { startsAt: '2027-03-01T15:00:00.000Z', endsAt: '2027-03-01T23:00:00.000Z' };
    const schedule = { status: 'CONFIRMED', ...times, timeZone: 'America/Chicago', expectedVersion: 2 };
    await partner.PUT('/partner/v1/jobs/{id}/schedule', { params: { path }, body: schedule });
  },
  deliveries,
  async retry() {
    for (const { id, state } of await deliveries())
      if (state === 'retry_scheduled')
        await automation.POST('/automation/v1/deliveries/{id}/retry', { params: { path: { id } } });
  },
  async read() {
    const events = [];
    const options = { store: createMemoryStore(), stopAtEnd: true, fields: ['schedule.startsAt'] };
    for await (const page of followEvents(partner, '/partner/v1/events', options))
      for (const { body } of page.events) {
        const { event, resource } = JSON.parse(body);
        if (resource.id === job) events.push(event);
      }
    const span = { from: new Date(Date.now() - 3_600_000), to: new Date() };
    const store = createFileStore('public-keys-state');
    const { listed, replayed, awaited, gaps } = await reconcile(partner, '/partner/v1', { subscriptionId: webhook, store, ...span });
    return { events, listed, left: [...replayed, ...awaited, ...gaps] };
  },
};
console.log(JSON.stringify(await steps[step]() ?? null));
`;
