import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SERVICE_NAMES } from '@partner/local-stack/stack/services';
import type { SandboxCompany } from '@partner/local-stack/stack/stack-description';
import { newId } from '@partner/kernel/ids';
import { eventually } from '@partner/test-kit/eventually';
import { call } from './support/http-call.js';
import { createActiveSubscription, signIn } from './support/owner-session.js';
import { assignNewJob } from './support/platform-job.js';
import { apiKeyOf, startTestStack, type TestStack } from './support/test-stack.js';
import { type ExportedSpan, startTraceReceiver, type TraceReceiver } from './support/trace-receiver.js';
import type { ReceivedWebhook } from './support/webhook-receiver.js';

const CALLERS_SPAN = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const NOTE = 'the gate code is 4711';
/** Of each process the spans that end after all others. */
const LAST_SPANS = [
  'installer-gateway: POST /partner/v1/jobs/:id/status-events',
  'job-state: partner.jobs.v1.JobService/RecordStatusEvent',
  'job-state: release delivery',
  'webhook-dispatcher: deliver webhook',
];
const REQUEST_ID = 'req-of-the-trace';

let traces: TraceReceiver;
let stack: TestStack;
let installer: SandboxCompany;
let installerKey: string;
let secret: string;
let webhook: ReceivedWebhook;

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

beforeAll(async () => {
  traces = await startTraceReceiver();
  const settings = {
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  };
  stack = await startTestStack({
    settings: Object.fromEntries(SERVICE_NAMES.map((service) => [service, settings])),
  });
  installer = only(stack.companies('INSTALLER').slice(0, 1));
  installerKey = apiKeyOf(installer, 'installer-company');
  const owner = await signIn(stack.baseUrl, installer.owner);
  const subscription = await createActiveSubscription(owner, {
    url: `${stack.receiverUrl}/traced`,
    events: ['install.status_changed'],
  });
  secret = subscription.secret;
  const job = await assignNewJob(stack, {
    sellingCompanyId: only(stack.companies('SALES').slice(0, 1)).id,
    installerCompanyId: installer.id,
    installerKey,
  });
  const moved = await call(stack.baseUrl, `/partner/v1/jobs/${job.id}/status-events`, {
    method: 'POST',
    headers: {
      'x-api-key': installerKey,
      'idempotency-key': newId('evt'),
      'x-request-id': REQUEST_ID,
      // Its flag says that the caller has not sampled it.
      traceparent: `00-${CALLERS_SPAN.traceId}-${CALLERS_SPAN.spanId}-00`,
    },
    body: {
      status: 'ACKNOWLEDGED',
      expectedVersion: job.version,
      occurredAt: new Date().toISOString(),
      note: NOTE,
    },
  });
  expect(moved.status).toBe(201);
  const isOfJob = ({ envelope }: ReceivedWebhook) =>
    envelope.event === 'install.status_changed' && envelope.resource.id === job.id;
  await stack.receiver.waitUntil('the webhook of the move', (received) => received.some(isOfJob));
  webhook = only(stack.receiver.received.filter(isOfJob));
  // Each process exports by itself, and not all of its spans at once.
  await eventually('the spans of all processes', () => {
    const names = spans().map(({ service, name }) => `${service}: ${name}`);
    return LAST_SPANS.every((span) => names.includes(span));
  });
});

afterAll(async () => {
  await stack.stop();
  await traces.close();
});

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

  test('holds neither personal data nor secrets, and neither does any other', () => {
    const all = traces.texts.join('\n');
    expect(all).toContain(CALLERS_SPAN.traceId);
    const personal = ['Grace Hopper', '555 0111', '7 Harbor Street', NOTE, '@', 'Safari', '127.0.0.1'];
    const secrets = [secret, installerKey, installerKey.split('.')[1] ?? '', installer.owner.password];
    for (const text of [...personal, ...secrets, 'whsec_', 'svc_test_', stack.receiverUrl]) {
      expect(all).not.toContain(text);
    }
  });

  test('of every span that was exported, the attributes are those that are known', () => {
    const names = new Set(traces.spans.flatMap(({ attributes }) => Object.keys(attributes)));
    const known = [
      'db.system.name',
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
