import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { declaredLabels } from '@partner/deployment/declared-labels';
import { exposedMetrics, expressionViolations, TARGET_LABELS } from '@partner/deployment/exposed-metrics';
import { chartExpressions } from '@partner/deployment/used-metrics';
import { SERVICE_NAMES } from '@partner/local-stack/stack/services';
import { newId } from '@partner/kernel/ids';
import { eventually } from '@partner/test-kit/eventually';
import { call } from './support/http-call.js';
import {
  createActiveSubscription,
  readDeliveries,
  signIn,
  waitForDelivery,
} from './support/owner-session.js';
import { assignNewJob } from './support/platform-job.js';
import { apiKeyOf, startTestStack, type TestStack } from './support/test-stack.js';

/** As the charts give it to each service. */
const RELEASE = {
  RELEASE_VERSION: '1.2.3',
  RELEASE_SANDBOX_SINCE: '2026-11-01',
  RELEASE_EARLY_REASON: 'fixes a leak',
};

let stack: TestStack;
let isFailing = false;
let scraped: readonly string[];

beforeAll(async () => {
  stack = await startTestStack({
    settings: { 'job-state': { WEBHOOK_RETRY_BASE_MS: '300' }, 'webhook-dispatcher': RELEASE },
    answer: () => (isFailing ? 503 : 204),
  });
  await playEverySurface();
  // job-state looks at the queues every 15 s.
  scraped = await eventually('a look at the queues since the dispatcher reads them', async () => {
    const pages = await scrape();
    return pages.some((text) => READ_BY_DISPATCHER.test(text)) && pages;
  });
});

afterAll(async () => {
  await stack.stop();
});

const READ_BY_DISPATCHER = /^partner_queue_consumers\{[^}]*queue="webhook-dispatcher\.deliveries"[^}]*\} 1$/m;

const scrape = () =>
  Promise.all(
    SERVICE_NAMES.map(async (service) => {
      const { adminUrl = '' } = stack.stack.description.services[service] ?? {};
      return (await fetch(`${adminUrl}/metrics`, { signal: AbortSignal.timeout(60_000) })).text();
    }),
  );

/** A little of all that is measured, failures included: what never happens has no series. */
async function playEverySurface(): Promise<void> {
  const [sales] = stack.companies('SALES');
  const [installer] = stack.companies('INSTALLER');
  if (sales === undefined || installer === undefined) throw new Error('the sandbox has too few companies');
  const installerKey = apiKeyOf(installer, 'installer-company');
  const lead = (apiKey: string) =>
    call(stack.baseUrl, '/inbound/leads', {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'idempotency-key': newId('evt') },
      body: {
        fullName: 'Ada Lovelace',
        email: 'ada@example.com',
        phone: '+1 512 555 0100',
        address: '12 Main Street, Austin, TX 78701',
      },
    });
  expect((await lead(apiKeyOf(sales, 'general'))).status).toBe(201);
  expect((await lead(installerKey)).status).toBe(401);
  await call(stack.baseUrl, '/partner/v1/jobs', { headers: { 'x-api-key': installerKey } });

  const owner = await signIn(stack.baseUrl, installer.owner);
  const subscription = await createActiveSubscription(owner, {
    url: stack.receiverUrl,
    events: ['install.*'],
  });
  const job = await assignNewJob(stack, {
    sellingCompanyId: sales.id,
    installerCompanyId: installer.id,
    installerKey,
  });
  await stack.receiver.waitUntil('the webhook of the assignment', (received) =>
    received.some(({ envelope }) => envelope.event === 'install.job_assigned'),
  );
  isFailing = true;
  const moved = await call(stack.baseUrl, `/partner/v1/jobs/${job.id}/status-events`, {
    method: 'POST',
    headers: { 'x-api-key': installerKey, 'idempotency-key': newId('evt') },
    body: { status: 'ACKNOWLEDGED', occurredAt: new Date().toISOString(), expectedVersion: job.version },
  });
  expect(moved.status).toBe(201);
  const [delivery] = (await readDeliveries(owner, subscription.id)).deliveries.filter(
    ({ event }) => event === 'install.status_changed',
  );
  await waitForDelivery(owner, delivery?.id ?? '', (_state, attempts) => attempts > 0);
  isFailing = false;
  await waitForDelivery(owner, delivery?.id ?? '', (state) => state === 'delivered');
}

const allScraped = () => scraped.join('\n');

test('every metric and label in the alerts and dashboards of the charts is one that a service exposes', () => {
  const expressions = chartExpressions();
  expect(expressions.length).toBeGreaterThan(20);
  expect(expressionViolations(expressions, exposedMetrics(scraped, declaredLabels()))).toEqual([]);
});

test('no metric has a label of a name that the one who scrapes sets, which would be stored under another one', () => {
  const taken = [...exposedMetrics(scraped, declaredLabels())].flatMap(([name, { labels }]) =>
    TARGET_LABELS.filter((label) => labels.has(label)).map((label) => `${name}: ${label}`),
  );
  expect(taken).toEqual([]);
});

test('each metric of ours is named as Prometheus advises, and no label holds an id or an address', () => {
  const types = [...allScraped().matchAll(/^# TYPE (partner_\S+) (\S+)$/gm)];
  expect(types.length).toBeGreaterThan(50);
  for (const [, name = '', type] of types) {
    expect([name, type === 'counter']).toEqual([name, name.endsWith('_total')]);
    expect(name).not.toMatch(/_(ms|milliseconds|minutes|hours|kb|percent)(_|$)/);
  }
  const ids = /"[^"]*\b(?:cmp|whk|job|evt|dlv|mem|key|led|bul)_[0-9a-z]{20,}|"[^"]*(?:@|https?:|\/\/)[^"]*"/;
  expect(
    allScraped()
      .split('\n')
      .filter((line) => !line.startsWith('#') && ids.test(line)),
  ).toEqual([]);
});

test.each([
  [
    'job-state',
    'partner_webhook_delivery_seconds_count',
    ['company_class="installer"', 'attempt="first"'],
    /^[1-9]/,
  ],
  [
    'job-state',
    'partner_webhook_attempts_recorded_total',
    ['company_class="installer"', 'outcome="delivered"'],
    /^[1-9]/,
  ],
  [
    'inbound-gateway',
    'partner_http_company_class_request_duration_seconds_count',
    ['company_class="sales"', 'status_class="2xx"'],
    /^1$/,
  ],
  ['job-state', 'partner_queue_consumers', ['queue="webhook-dispatcher.deliveries"'], /^1$/],
  ['job-state', 'partner_dead_letter_queue_messages', ['queue="platform.partner-events.dead"'], /^0$/],
  ['job-state', 'partner_webhook_oldest_due_seconds', ['endpoint_state="failing"'], /^0$/],
  ['job-state', 'partner_postgres_pool_connections', ['pool="queue"'], /^[1-9]/],
  ['job-state', 'partner_loop_last_success_timestamp_seconds', ['loop="outbox"'], /^\d{10}/],
  ['webhook-dispatcher', 'partner_service_ready', [], /^1$/],
  [
    'webhook-dispatcher',
    'partner_release_info',
    ['version="1.2.3"', 'sandbox_since="2026-11-01"', 'early_reason="fixes a leak"'],
    /^1$/,
  ],
  ['console', 'partner_console_password_check_seconds_count', [], /^1$/],
] as const)('%s tells of what has just happened: %s', (service, name, labels, value) => {
  const wanted = [`partner_service="${service}"`, ...labels];
  const found = allScraped()
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) && wanted.every((label) => line.includes(label)));
  expect(found).toHaveLength(1);
  expect(found[0]?.slice(found[0].lastIndexOf(' ') + 1)).toMatch(value);
});
