import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
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
import {
  type Canaries,
  createCanaries,
  type Findings,
  findCanaries,
  type Piece,
  SOURCES,
} from './scenario/canaries.js';
import { collectMessages } from './scenario/collect-messages.js';
import {
  createScenarioCompany,
  eventsOf,
  type ScenarioCompany,
  type ScenarioDeps,
} from './scenario/company.js';
import { driveSide, type ScenarioSide } from './scenario/drive-side.js';
import { allDelivered, lookAround } from './scenario/look-around.js';
import { createRecorder, type Recorder } from './scenario/recorder.js';
import { sendDeadLetters } from './scenario/send-dead-letters.js';
import { watchRedis } from './surfaces/watch-redis.js';
import { startTestStack, type TestStack } from './support/test-stack.js';
import { startTraceReceiver, type TraceReceiver } from './support/trace-receiver.js';

/** What only operators see. */
const OPERATIONS = ['logs', 'metrics', 'traces', 'dead letters'];

let stack: TestStack;
let traces: TraceReceiver;
let recorder: Recorder;
let canaries: Canaries;
let sides: readonly ScenarioSide[];
let findings: Findings;
/** Messages between the services. */
let commands: readonly Piece[];
/** Ends what was started, the last first, also if something did not start. */
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  traces = await startTraceReceiver();
  ends.unshift(() => traces.close());
  const answers: ScenarioDeps['answers'] = new Map();
  const telemetry = {
    LOG_LEVEL: 'trace',
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
    OTEL_BSP_SCHEDULE_DELAY: '100',
  };
  stack = await startTestStack({
    parts: { kind: 'private', durable: false },
    settings: {
      ...everyService(telemetry),
      // All attempts of a failing delivery are over soon.
      'job-state': { ...telemetry, WEBHOOK_RETRY_BASE_MS: '5' },
    },
    answer: ({ path }) => {
      const answer = answers.get(path.split('?')[0] ?? '');
      return answer === undefined ? 204 : { kind: 'status', ...answer };
    },
  });
  ends.unshift(() => stack.stop());
  recorder = createRecorder(stack.baseUrl);
  canaries = createCanaries();
  const { amqpUrl, redisUrl } = stack.stack.description;
  const probe = await openBrokerProbe(amqpUrl);
  ends.unshift(() => probe.close());
  const told = await collectMessages(probe, PLATFORM, ['#']);
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
  const deps = { stack, canaries, recorder, answers };
  const redis = await watchRedis(redisUrl, () => play(deps, probe));
  recorder.keep('redis', 'commands', redis.join('\n'));
  for (const { what, text } of await told.end()) recorder.keep('messages of the platform', what, text);
  const messages = await Promise.all(collected.map(({ end }) => end()));
  commands = messages.flat().map((message) => ({ place: 'commands', ...message }));
  keepWebhooks();
  for (const { type, body } of stack.toPlatform) {
    recorder.keep('platform', `a message ${type}`, Buffer.from(body).toString('utf8'));
  }
  for (const { body } of answers.values()) recorder.keep('answers of receivers', 'an answer', body);
  await keepOperations();
  findings = findCanaries(canaries.all, recorder.pieces);
});

afterAll(async () => {
  for (const end of ends) await end();
});

/** Makes everything happen to the companies of two sides. */
async function play(deps: ScenarioDeps, probe: BrokerProbe): Promise<void> {
  const [one, two] = [await driveSide(deps, 'A'), await driveSide(deps, 'B')];
  sides = [one, two];
  await allDelivered(deps);
  await lookAround(deps, sides);
  await sendDeadLetters(deps, probe, one);
  await failDeliveries(deps);
  await stack.platformIsUpToDate();
}

function everyService(
  settings: Readonly<Record<string, string>>,
): Partial<Record<ServiceName, Readonly<Record<string, string>>>> {
  return Object.fromEntries(SERVICE_NAMES.map((name) => [name, settings]));
}

/** A company whose receiver refuses everything, until its deliveries are dead-lettered. */
async function failDeliveries(deps: ScenarioDeps): Promise<void> {
  const failing = await createScenarioCompany(deps, { class: 'ACCOUNTING', who: 'the failing accountant' });
  const word = canaries.word('what the failing receiver answers', `console of ${failing.who}`);
  deps.answers.set(new URL(failing.subscriptionUrl).pathname, { status: 500, body: `no ${word}` });
  await failing.console('POST', `/webhooks/${failing.subscriptionId}/test`);
  await allDelivered(deps);
  const { json } = await failing.console('GET', `/webhooks/${failing.subscriptionId}/deliveries`);
  for (const id of JSON.stringify(json).match(/dlv_[0-9a-z]{26}/g) ?? []) {
    await failing.console('GET', `/deliveries/${id}`);
  }
}

const companies = (): readonly ScenarioCompany[] =>
  sides.flatMap(({ seller, installer, accountant }) => [seller, installer, accountant]);

const webhooksOf = ({ id }: ScenarioCompany) =>
  stack.receiver.received.filter(({ path }) => path.includes(id));

function keepWebhooks(): void {
  for (const { path, headers, body, envelope } of stack.receiver.received) {
    const company = companies().find(({ id }) => path.includes(id));
    recorder.keep(
      `webhooks of ${company?.who ?? 'the failing accountant'}`,
      `${envelope.event} ${envelope.resource.id}`,
      `${JSON.stringify(headers)}\n${body.toString('utf8')}`,
    );
  }
}

async function keepOperations(): Promise<void> {
  for (const [name, { adminUrl }] of Object.entries(stack.stack.description.services)) {
    for (const path of ['/metrics', '/readyz', '/healthz']) {
      recorder.keep('metrics', `${name}${path}`, await (await fetch(`${adminUrl}${path}`)).text());
    }
  }
  for (const name of [...SERVICE_NAMES, 'proxy']) {
    for (const line of readFileSync(stack.stack.process(name).logFile, 'utf8').split('\n')) {
      recorder.keep('logs', name, line);
    }
  }
  const exported = () => traces.texts.join('\n');
  await eventually('the traces of every service are exported', () =>
    SERVICE_NAMES.every((name) => exported().includes(name)),
  );
  recorder.keep('traces', 'all', exported());
}

const textAt = (place: string): string =>
  recorder.pieces
    .filter((piece) => piece.place === place)
    .map(({ text }) => text)
    .join('\n');

describe('after everything has happened to the companies of two sides', () => {
  test('each company has received every event that its class may have, and no other one [EVENT-3, EVENT-4, EVENT-5]', () => {
    for (const company of companies()) {
      const received = new Set(webhooksOf(company).map(({ envelope }) => envelope.event));
      expect([company.who, [...received].sort()]).toEqual([company.who, [...eventsOf(company.class)].sort()]);
    }
  });

  test('each canary is only where it may be [EVENT-5]', () => {
    expect(findings.leaks).toEqual([]);
  });

  test('each canary is everywhere where it may be, so that it would be found elsewhere', () => {
    expect(canaries.all.length).toBeGreaterThan(300);
    expect(canaries.all.filter(({ places }) => places.length === 0)).toEqual([]);
    expect(findings.unseen).toEqual([]);
  });

  test('logs, metrics, traces and the headers of dead letters hold none, and Redis the names in sessions alone', () => {
    const ofPlace = (place: string) => canaries.all.filter(({ places }) => places.includes(place));
    for (const place of OPERATIONS) expect([place, ofPlace(place)]).toEqual([place, []]);
    expect(ofPlace('redis').filter(({ what }) => !what.startsWith('name of'))).toEqual([]);
    // What has to be there, so that nothing was overlooked because nothing was kept.
    for (const { leadId, jobId } of sides) {
      expect(textAt('logs')).toContain(leadId);
      expect(textAt('logs')).toContain(jobId);
    }
    expect(textAt('metrics')).toContain('partner_http_request_duration_seconds');
    expect(textAt('metrics')).toContain('partner_platform_messages_total');
    expect(textAt('traces')).toContain('/inbound/leads');
    expect(textAt('redis')).toContain('session');
    expect(textAt('dead letters')).toContain('x-dead-reason');
    expect(textAt('nobody')).toContain('openapi');
    for (const source of SOURCES) expect([source, textAt(source) === '']).toEqual([source, false]);
  });

  test('no secret goes from service to service through the broker', () => {
    const secrets = canaries.all.filter(({ what }) => /secret|session|password/.test(what));
    expect(secrets.length).toBeGreaterThan(20);
    expect(findCanaries(secrets, commands).leaks).toEqual([]);
    const email = canaries.all.find(({ what }) => what === 'email of the first lead of side A');
    expect(commands.some(({ text }) => text.includes(email?.text ?? 'no such email'))).toBe(true);
  });
});
