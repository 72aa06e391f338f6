import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ServiceName, SERVICE_NAMES } from '@partner/local-stack/stack/services';
import { jobResponse, jobFeedResponse } from '@partner/proto-contracts/public-api/installer-job';
import { EVENT_CATALOGUE, eventGroup, isEventName } from '@partner/proto-contracts/public-api/webhook-events';
import {
  COMMANDS,
  type ExchangeDefinition,
  INBOUND,
  INSTALLER,
  MANAGEMENT,
  PLATFORM,
  QUEUES,
} from '@partner/proto-contracts/topology';
import { type BrokerProbe, openBrokerProbe } from '@partner/kernel/testing/broker-probe';
import { eventually } from '@partner/test-kit/eventually';
import { connectPlatform, type Platform } from './model/platform.js';
import { envelopePaths, INSTALLER_JOB_PATHS } from './privacy/allowed-paths.js';
import {
  type Canaries,
  createCanaries,
  type Findings,
  findCanaries,
  type Piece,
  SOURCES,
} from './privacy/canaries.js';
import { collectMessages } from './privacy/collect-messages.js';
import { driveSide, type PrivateSide } from './privacy/drive-side.js';
import { allDelivered, lookAround } from './privacy/look-around.js';
import { createPrivateCompany, type PrivacyDeps } from './privacy/private-company.js';
import { createRecorder, type Recorder } from './privacy/recorder.js';
import { sendDeadLetters } from './privacy/send-dead-letters.js';
import { valuePaths } from './privacy/value-paths.js';
import { watchRedis } from './surfaces/watch-redis.js';
import { startTestStack, type TestStack } from './support/test-stack.js';
import { startTraceReceiver, type TraceReceiver } from './support/trace-receiver.js';

/** What tells operators and nobody else how it goes. */
const OPERATIONS = ['logs', 'metrics', 'traces', 'dead letters'];

let stack: TestStack;
let traces: TraceReceiver;
let probe: BrokerProbe;
let platform: Platform;
let recorder: Recorder;
let canaries: Canaries;
let sides: readonly PrivateSide[];
let findings: Findings;
/** What the services tell each other through the broker. */
let commands: readonly Piece[];
/** Ends what was started, the last first, also when something did not start. */
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  traces = await startTraceReceiver();
  ends.unshift(() => traces.close());
  const answers: PrivacyDeps['answers'] = new Map();
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
      // So that all attempts of what fails are over soon.
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
  platform = await connectPlatform(amqpUrl);
  ends.unshift(() => platform.close());
  probe = await openBrokerProbe(amqpUrl);
  ends.unshift(() => probe.close());
  const told = await collectMessages(probe, PLATFORM, ['#']);
  const keysOf = (of: ExchangeDefinition) =>
    QUEUES.flatMap(({ bindings }) => bindings.filter(({ exchange }) => exchange === of)).map(
      ({ routingKey }) => routingKey,
    );
  const commanded = await collectMessages(probe, COMMANDS, keysOf(COMMANDS));
  const sold = await collectMessages(probe, INBOUND, keysOf(INBOUND));
  const installed = await collectMessages(probe, INSTALLER, keysOf(INSTALLER));
  const managed = await collectMessages(probe, MANAGEMENT, keysOf(MANAGEMENT));
  const deps = { stack, canaries, recorder, answers };

  const redis = await watchRedis(redisUrl, async () => {
    const made: PrivateSide[] = [];
    for (const side of ['A', 'B']) made.push(await driveSide(deps, side));
    sides = made;
    await allDelivered(deps);
    await lookAround(deps, sides);
    const [one, two] = made;
    if (one === undefined || two === undefined) throw new Error('there are two sides');
    await sendDeadLetters(deps, probe, one, two);
    await failDeliveries(deps, answers);
    await platform.hearAll();
  });
  recorder.keep('redis', 'commands', redis.join('\n'));
  for (const { what, text } of await told.end()) recorder.keep('messages of the platform', what, text);
  commands = [
    ...(await commanded.end()),
    ...(await sold.end()),
    ...(await installed.end()),
    ...(await managed.end()),
  ].map((message) => ({
    place: 'commands',
    ...message,
  }));
  keepWebhooks();
  for (const { type, body } of platform.heard) {
    recorder.keep('platform', `a message ${type}`, Buffer.from(body).toString('utf8'));
  }
  for (const { body } of answers.values()) recorder.keep('answers of receivers', 'an answer', body);
  await keepOperations();
  findings = findCanaries(canaries.all, recorder.pieces);
});

afterAll(async () => {
  for (const end of ends) await end();
});

function everyService(
  settings: Readonly<Record<string, string>>,
): Partial<Record<ServiceName, Readonly<Record<string, string>>>> {
  return Object.fromEntries(SERVICE_NAMES.map((name) => [name, settings]));
}

/** A company whose receiver refuses everything, until its deliveries are dead letters. */
async function failDeliveries(deps: PrivacyDeps, answers: PrivacyDeps['answers']): Promise<void> {
  const failing = await createPrivateCompany(deps, { class: 'ACCOUNTING', who: 'the failing accountant' });
  const word = canaries.word('what the failing receiver answers', `console of ${failing.who}`);
  answers.set(new URL(failing.subscriptionUrl).pathname, { status: 500, body: `no ${word}` });
  await failing.console('POST', `/webhooks/${failing.subscriptionId}/test`);
  await allDelivered(deps);
  const { json } = await failing.console('GET', `/webhooks/${failing.subscriptionId}/deliveries`);
  for (const id of JSON.stringify(json).match(/dlv_[0-9a-z]{26}/g) ?? []) {
    await failing.console('GET', `/deliveries/${id}`);
  }
}

function keepWebhooks(): void {
  const companies = sides.flatMap(({ seller, installer, accountant }) => [seller, installer, accountant]);
  for (const { path, headers, body, envelope } of stack.receiver.received) {
    const company = companies.find(({ id }) => path.includes(id));
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

describe('of everything that came out, after everything has happened to the companies of two sides,', () => {
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
  });

  test('no secret goes from service to service through the broker', () => {
    const secrets = canaries.all.filter(({ what }) => /secret|session|password/.test(what));
    expect(secrets.length).toBeGreaterThan(20);
    expect(findCanaries(secrets, commands).leaks).toEqual([]);
    const email = canaries.all.find(({ what }) => what === 'email of the first lead of side A');
    expect(commands.some(({ text }) => text.includes(email?.text ?? 'no such email'))).toBe(true);
  });

  test('webhooks have the fields that were allowed on purpose, and every event was sent [EVENT-5]', () => {
    const events = new Set<string>();
    for (const { envelope, body } of stack.receiver.received) {
      const { event } = envelope;
      if (!isEventName(event)) throw new Error(`there is no event ${event}`);
      events.add(event);
      const paths = valuePaths(JSON.parse(body.toString('utf8')));
      expect([event, paths.filter((path) => !envelopePaths(event).includes(path))]).toEqual([event, []]);
    }
    expect([...events].sort()).toEqual(Object.keys(EVENT_CATALOGUE).sort());
  });

  test('answers to installers have the fields of a job that were allowed on purpose', () => {
    const jobs = recorder.pieces
      .filter(({ place, what }) => place.startsWith('api of the installer') && what.endsWith(' 200'))
      .map(({ text }): unknown => JSON.parse(text.slice(text.indexOf('\n') + 1)))
      .flatMap((answer) => {
        const one = jobResponse.safeParse(answer);
        if (one.success) return [one.data.resource];
        const feed = jobFeedResponse.safeParse(answer);
        return feed.success ? feed.data.resources.map(({ resource }) => resource) : [];
      });
    expect(jobs.length).toBeGreaterThan(20);
    for (const job of jobs) {
      expect(valuePaths(job).filter((path) => !INSTALLER_JOB_PATHS.includes(path))).toEqual([]);
    }
  });

  test('each company got webhooks of its own groups alone', () => {
    for (const { seller, installer, accountant } of sides) {
      for (const [company, groups] of [
        [seller, ['quote', 'project', 'appointment', 'deposit', 'invoice', 'rebate']],
        [installer, ['install']],
        [accountant, ['journal']],
      ] as const) {
        const found = recorder.pieces
          .filter(({ place }) => place === `webhooks of ${company.who}`)
          .map(({ what }) => what.split(' ')[0] ?? '')
          .filter((event) => event !== 'install.test')
          .map((event) => (isEventName(event) ? eventGroup(event) : event));
        expect([company.who, new Set(found)]).toEqual([company.who, new Set<string>(groups)]);
      }
    }
  });

  test('what canaries were put into has been kept', () => {
    for (const source of SOURCES) expect([source, textAt(source) === '']).toEqual([source, false]);
  });
});
