import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { declaredLabels } from '@partner/deployment/declared-labels';
import { exposedMetrics, expressionViolations, TARGET_LABELS } from '@partner/deployment/exposed-metrics';
import { chartExpressions } from '@partner/deployment/observability-files';
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
import { assignSandboxJob, reportStatus } from './support/platform-job.js';
import { apiKeyOf, startTestStack, type TestStack } from './support/test-stack.js';
import { type ExportedSpan, startTraceReceiver, type TraceReceiver } from './support/trace-receiver.js';
import type { ReceivedWebhook } from './support/webhook-receiver.js';

/** As the charts give it to each service. */
const RELEASE = {
  RELEASE_VERSION: '1.2.3',
  RELEASE_SANDBOX_SINCE: '2026-11-01',
  RELEASE_EARLY_REASON: 'fixes a leak',
};
const CALLERS_SPAN = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const REQUEST_ID = 'req-of-the-trace';
/** Of each process the spans of the trace that end after all others. */
const LAST_SPANS = [
  'installer-gateway: POST /partner/v1/jobs/:id/status-events',
  'job-state: partner.jobs.v1.JobService/RecordStatusEvent',
  'job-state: release delivery',
  'webhook-dispatcher: deliver webhook',
];
const READ_BY_DISPATCHER = /^partner_queue_consumers\{[^}]*queue="webhook-dispatcher\.deliveries"[^}]*\} 1$/m;

let traces: TraceReceiver;
let stack: TestStack;
/** Of the traced request. */
let webhook: ReceivedWebhook;
let isFailing = false;
let scraped: readonly string[];

beforeAll(async () => {
  traces = await startTraceReceiver();
  const tracing = {
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  };
  stack = await startTestStack({
    settings: {
      ...Object.fromEntries(SERVICE_NAMES.map((service) => [service, tracing])),
      'job-state': { ...tracing, WEBHOOK_RETRY_BASE_MS: '300' },
      'webhook-dispatcher': { ...tracing, ...RELEASE },
    },
    answer: () => (isFailing ? 503 : 204),
  });
  await playEverySurface();
  // job-state looks at the queues every 15 s.
  scraped = await eventually('the queues, since the dispatcher reads them', async () => {
    const pages = await scrape();
    return pages.some((text) => READ_BY_DISPATCHER.test(text)) && pages;
  });
  // Each process exports separately, and not all of its spans at once.
  await eventually('the spans of all processes', () => {
    const names = spans().map(({ service, name }) => `${service}: ${name}`);
    return LAST_SPANS.every((span) => names.includes(span));
  });
});

afterAll(async () => {
  await stack.stop();
  await traces.close();
});

const scrape = () =>
  Promise.all(
    SERVICE_NAMES.map(async (service) => {
      const { adminUrl = '' } = stack.stack.description.services[service] ?? {};
      return (await fetch(`${adminUrl}/metrics`, { signal: AbortSignal.timeout(60_000) })).text();
    }),
  );

/** A little of all that is measured, failures included: what never happens has no series. One request is traced. */
async function playEverySurface(): Promise<void> {
  const [sales, installer] = [stack.company('SALES'), stack.company('INSTALLER')];
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
    events: ['install.status_changed'],
  });
  const job = await assignSandboxJob(stack);
  // The flag says that the caller has not sampled it.
  const traceparent = `00-${CALLERS_SPAN.traceId}-${CALLERS_SPAN.spanId}-00`;
  const acknowledged = await reportStatus(
    stack,
    job,
    { status: 'ACKNOWLEDGED' },
    { 'x-request-id': REQUEST_ID, traceparent },
  );
  const isOfJob = ({ envelope }: ReceivedWebhook) => envelope.resource.id === job.id;
  await stack.receiver.waitUntil('the webhook of the move', (received) => received.some(isOfJob));
  webhook = only(stack.receiver.received.filter(isOfJob));

  isFailing = true;
  await reportStatus(stack, acknowledged, { status: 'EN_ROUTE' });
  const failing = await eventually('a failed delivery', async () => {
    const { deliveries } = await readDeliveries(owner, subscription.id);
    return deliveries.find(({ state }) => state === 'retry_scheduled');
  });
  isFailing = false;
  await waitForDelivery(owner, failing.id, (state) => state === 'delivered');
}

const only = <T>(found: readonly T[]): T => {
  const [first] = found;
  if (first === undefined || found.length > 1) throw new Error(`${found.length} found instead of one`);
  return first;
};

/** The spans of the traced request. */
const spans = (): readonly ExportedSpan[] => {
  const linked = traces.spans.find(({ links }) => links.some(({ spanId }) => spanId === CALLERS_SPAN.spanId));
  return traces.spans.filter(({ traceId }) => traceId === linked?.traceId);
};

const childrenOf = (parent: Pick<ExportedSpan, 'spanId'>) =>
  spans().filter(({ parentSpanId }) => parentSpanId === parent.spanId);

describe('the trace of a request', () => {
  test("is linked to the caller's, which does not decide its sampling, and leads through all processes to the webhook [HTTP-19]", () => {
    const request = only(spans().filter(({ parentSpanId }) => parentSpanId === ''));
    expect(request.traceId).not.toBe(CALLERS_SPAN.traceId);
    expect(request).toMatchObject({
      links: [CALLERS_SPAN],
      service: 'installer-gateway',
      name: 'POST /partner/v1/jobs/:id/status-events',
      kind: 'SERVER',
    });
    const rpc = { name: 'partner.jobs.v1.JobService/RecordStatusEvent' };
    const asked = only(childrenOf(request).filter(({ name }) => name === rpc.name));
    expect(asked).toMatchObject({ ...rpc, service: 'installer-gateway', kind: 'CLIENT' });
    const served = only(childrenOf(asked));
    expect(served).toMatchObject({ ...rpc, service: 'job-state', kind: 'SERVER' });
    const transaction = only(childrenOf(served));
    expect(transaction).toMatchObject({ service: 'job-state', name: 'transaction', kind: 'CLIENT' });
    expect(transaction.attributes).toMatchObject({ 'db.system.name': 'postgresql' });
    const released = only(childrenOf(transaction));
    expect(released).toMatchObject({ service: 'job-state', name: 'release delivery', kind: 'PRODUCER' });
    const delivered = only(childrenOf(released));
    expect(delivered).toMatchObject({
      service: 'webhook-dispatcher',
      name: 'deliver webhook',
      kind: 'CLIENT',
    });
    expect(delivered.attributes).toMatchObject({
      'partner.delivery_id': released.attributes['partner.delivery_id'],
      'partner.attempt_id': webhook.headers['x-svc-delivery-id'],
      'partner.outcome': 'delivered',
    });
    expect(webhook.headers['traceparent']).toBe(`00-${request.traceId}-${delivered.spanId}-01`);
  });

  test('has no span beside it, and each carries the id of the request', () => {
    const known = new Set(['', ...spans().map(({ spanId }) => spanId)]);
    expect(spans().filter(({ parentSpanId }) => !known.has(parentSpanId))).toEqual([]);
    expect(new Set(spans().map(({ attributes }) => attributes['partner.request_id']))).toEqual(
      new Set([REQUEST_ID]),
    );
  });

  test('of every span that was exported, the attributes are those that are known', () => {
    const names = new Set(traces.spans.flatMap(({ attributes }) => Object.keys(attributes)));
    const known = [
      'db.system.name',
      'error.type',
      'http.request.method',
      'http.response.status_code',
      'http.route',
      'messaging.destination.name',
      'messaging.system',
      'partner.attempt',
      'partner.attempt_id',
      'partner.delivery_id',
      'partner.event',
      'partner.event_id',
      'partner.outcome',
      'partner.request_id',
      'rpc.system',
    ];
    expect([...names].filter((name) => !known.includes(name))).toEqual([]);
  });
});

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
] as const)('%s counts what has just happened: %s', (service, name, labels, value) => {
  const wanted = [`partner_service="${service}"`, ...labels];
  const found = allScraped()
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) && wanted.every((label) => line.includes(label)));
  expect(found).toHaveLength(1);
  expect(found[0]?.slice(found[0].lastIndexOf(' ') + 1)).toMatch(value);
});
