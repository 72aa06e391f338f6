import { readFileSync } from 'node:fs';
import { type ServiceName, SERVICE_NAMES } from '@partner/local-stack/stack/services';
import {
  COMMANDS,
  INBOUND,
  INSTALLER,
  MANAGEMENT,
  PLATFORM,
  QUEUES,
} from '@partner/proto-contracts/topology';
import { type BrokerProbe, openBrokerProbe } from '@partner/kernel/testing/broker-probe';
import { eventually } from '@partner/test-kit/eventually';
import { watchRedis } from '../surfaces/watch-redis.js';
import { createActiveSubscription, signIn } from '../support/owner-session.js';
import { assignSandboxJob, reportStatus } from '../support/platform-job.js';
import { startTestStack, type TestStack } from '../support/test-stack.js';
import { startTraceReceiver, type TraceReceiver } from '../support/trace-receiver.js';
import type { ReceivedWebhook } from '../support/webhook-receiver.js';
import { type Canaries, createCanaries, type Piece } from './canaries.js';
import { collectMessages } from './collect-messages.js';
import { createScenarioCompany, type ScenarioCompany, type ScenarioDeps } from './company.js';
import { driveSide, type ScenarioSide } from './drive-side.js';
import { readEverything } from './read-everything.js';
import { createResponseRecorder, type Recorder } from './recorder.js';
import { sendDeadLetters } from './send-dead-letters.js';

export const CALLERS_SPAN = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
export const REQUEST_ID = 'req-of-the-trace';
/** Of each process the spans of the trace that end after all others. */
const LAST_SPANS = [
  'installer-gateway: POST /partner/v1/jobs/:id/status-events',
  'job-state: recordStatusEvent',
  'job-state: release delivery',
  'webhook-dispatcher: deliver webhook',
];

/** Everything that was seen while everything happened to the companies of two sides. */
export interface PlayedScenario {
  readonly stack: TestStack;
  readonly traces: TraceReceiver;
  readonly recorder: Recorder;
  readonly canaries: Canaries;
  readonly companies: readonly ScenarioCompany[];
  readonly sides: readonly ScenarioSide[];
  readonly commands: readonly Piece[];
  /** The webhook of the one request whose caller has a trace. */
  readonly tracedWebhook: ReceivedWebhook;
  stop(): Promise<void>;
}

/** Starts a stack, has everything happen on it, and keeps what comes out. */
export async function playScenario(): Promise<PlayedScenario> {
  const ends: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const end of ends) await end();
  };
  try {
    return { ...(await play(ends)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** `ends` gets what ends the parts that have started, the last first. */
async function play(ends: (() => Promise<void>)[]): Promise<Omit<PlayedScenario, 'stop'>> {
  const traces = await startTraceReceiver();
  ends.unshift(() => traces.close());
  const responses: ScenarioDeps['responses'] = new Map();
  const stack = await startScenarioStack(traces, responses);
  ends.unshift(() => stack.stop());
  const recorder = createResponseRecorder(stack.baseUrl);
  const canaries = createCanaries();
  const deps = { stack, canaries, recorder, responses };
  const { amqpUrl, redisUrl } = stack.stack.description;
  const probe = await openBrokerProbe(amqpUrl);
  ends.unshift(() => probe.close());
  const reported = await collectMessages(probe, PLATFORM, ['#']);
  const collected = await Promise.all(
    [COMMANDS, INBOUND, INSTALLER, MANAGEMENT].map((exchange) => {
      const bindings = QUEUES.flatMap((queue) => queue.bindings).filter((one) => one.exchange === exchange);
      return collectMessages(
        probe,
        exchange,
        bindings.map(({ routingKey }) => routingKey),
      );
    }),
  );
  const sides: ScenarioSide[] = [];
  const redis = await watchRedis(redisUrl, async () => {
    sides.push(await driveSide(deps, 'A'), await driveSide(deps, 'B'));
    await haveEverythingRead(deps, probe, sides);
  });
  recorder.keep('redis', 'commands', redis.join('\n'));
  for (const { what, text } of await reported.end()) recorder.keep('messages of the platform', what, text);
  const messages = await Promise.all(collected.map(({ end }) => end()));
  const companies = sides.flatMap(({ seller, installer, accountant }) => [seller, installer, accountant]);
  keepWebhooks(deps, companies);
  for (const { type, body } of stack.toPlatform) {
    recorder.keep('platform', `a message ${type}`, Buffer.from(body).toString('utf8'));
  }
  for (const { body } of responses.values()) recorder.keep('responses of receivers', 'a response', body);
  const tracedWebhook = await traceRequest(stack, traces);
  await keepOperations(deps, traces);
  const commands = messages.flat().map((message) => ({ place: 'commands', ...message }));
  return { stack, traces, recorder, canaries, companies, sides, commands, tracedWebhook };
}

function startScenarioStack(traces: TraceReceiver, responses: ScenarioDeps['responses']): Promise<TestStack> {
  const telemetry = {
    LOG_LEVEL: 'trace',
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  };
  return startTestStack({
    backingServices: { kind: 'private', durable: false },
    settings: {
      ...Object.fromEntries(SERVICE_NAMES.map((name): [ServiceName, typeof telemetry] => [name, telemetry])),
      // For the metric of its emails.
      console: { ...telemetry, SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'partner-api@service.example' },
      // All attempts of a failing delivery are over soon.
      'job-state': { ...telemetry, WEBHOOK_RETRY_BASE_MS: '5' },
    },
    respond: ({ path }) => {
      const response = responses.get(path.split('?')[0] ?? '');
      return response === undefined ? 204 : { kind: 'status', ...response };
    },
  });
}

async function haveEverythingRead(
  deps: ScenarioDeps,
  probe: BrokerProbe,
  sides: readonly ScenarioSide[],
): Promise<void> {
  await deps.stack.deliveriesAreFinished();
  await readEverything(deps, sides);
  for (const side of sides.slice(0, 1)) await sendDeadLetters(deps, probe, side);
  await failDeliveries(deps);
  await deps.stack.platformIsUpToDate();
}

/** A company whose receiver refuses everything, until its deliveries are dead-lettered. */
async function failDeliveries(deps: ScenarioDeps): Promise<void> {
  const failing = await createScenarioCompany(deps, { class: 'ACCOUNTING', who: 'the failing accountant' });
  const word = deps.canaries.word('what the failing receiver sends', `console of ${failing.who}`);
  deps.responses.set(new URL(failing.subscriptionUrl).pathname, { status: 500, body: `no ${word}` });
  await failing.console('POST', `/webhooks/${failing.subscriptionId}/test`);
  await deps.stack.deliveriesAreFinished();
  const { json } = await failing.console('GET', `/webhooks/${failing.subscriptionId}/deliveries`);
  for (const id of JSON.stringify(json).match(/dlv_[0-9a-z]{26}/g) ?? []) {
    await failing.console('GET', `/deliveries/${id}`);
  }
}

function keepWebhooks({ stack, recorder }: ScenarioDeps, companies: readonly ScenarioCompany[]): void {
  for (const { path, headers, body, envelope } of stack.receiver.received) {
    const company = companies.find(({ id }) => path.includes(id));
    recorder.keep(
      `webhooks of ${company?.who ?? 'the failing accountant'}`,
      `${envelope.event} ${envelope.resource.id}`,
      `${JSON.stringify(headers)}\n${body.toString('utf8')}`,
    );
  }
}

/** Has one request of a caller with a trace make a webhook, and waits until all processes have exported their spans. */
async function traceRequest(stack: TestStack, traces: TraceReceiver): Promise<ReceivedWebhook> {
  const owner = await signIn(stack.baseUrl, stack.company('INSTALLER').owner);
  await createActiveSubscription(owner, { url: stack.receiverUrl, events: ['install.status_changed'] });
  const job = await assignSandboxJob(stack);
  // The flag says that the caller has not sampled it.
  const traceparent = `00-${CALLERS_SPAN.traceId}-${CALLERS_SPAN.spanId}-00`;
  await reportStatus(stack, job, { status: 'ACKNOWLEDGED' }, { 'x-request-id': REQUEST_ID, traceparent });
  const webhook = await eventually('the webhook of the move', () =>
    stack.receiver.received.find(({ envelope }) => envelope.resource.id === job.id),
  );
  // Each process exports separately, and not all of its spans at once.
  await eventually('the spans of all processes', () => {
    const names = traces.spans.map(({ service, name }) => `${service}: ${name}`);
    return LAST_SPANS.every((span) => names.includes(span)) && linkedSpan(traces) !== undefined;
  });
  return webhook;
}

export function linkedSpan({ spans }: Pick<TraceReceiver, 'spans'>) {
  return spans.find(({ links }) => links.some(({ spanId }) => spanId === CALLERS_SPAN.spanId));
}

async function keepOperations({ stack, recorder }: ScenarioDeps, traces: TraceReceiver): Promise<void> {
  const services = Object.entries(stack.stack.description.services);
  const read = async (url: string) => (await fetch(url, { signal: AbortSignal.timeout(60_000) })).text();
  for (const [name, { adminUrl }] of services) {
    for (const path of ['/metrics', '/readyz', '/healthz']) {
      recorder.keep('metrics', `${name}${path}`, await read(`${adminUrl}${path}`));
    }
  }
  for (const name of [...SERVICE_NAMES, 'proxy']) {
    for (const line of readFileSync(stack.stack.process(name).logFile, 'utf8').split('\n')) {
      recorder.keep('logs', name, line);
    }
  }
  recorder.keep('traces', 'all', traces.texts.join('\n'));
}
