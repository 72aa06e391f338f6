import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { declaredLabels } from '@partner/deployment/declared-labels';
import { exposedMetrics, expressionViolations, TARGET_LABELS } from '@partner/deployment/exposed-metrics';
import { chartExpressions } from '@partner/deployment/observability-files';
import { MCP_PATHS } from '@partner/proto-contracts/api/mcp';
import { eventFeed } from '@partner/proto-contracts/resources/event-feed/event-feed';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { type Findings, findCanaries, SOURCES } from './scenario/canaries.js';
import { eventsOf } from './scenario/company.js';
import {
  CALLERS_SPAN,
  linkedSpan,
  type PlayedScenario,
  playScenario,
  REQUEST_ID,
} from './scenario/play-scenario.js';
import { call } from './support/http-call.js';
import type { ExportedSpan } from './support/trace-receiver.js';

/** What only operators see. */
const OPERATIONS = ['logs', 'metrics', 'traces', 'dead letters'];

let played: PlayedScenario;
let findings: Findings;

beforeAll(async () => {
  played = await playScenario();
  findings = findCanaries(played.canaries.all, played.recorder.pieces);
});

afterAll(() => played.stop());

const piecesOf = (place: string): readonly string[] =>
  played.recorder.pieces.filter((piece) => piece.place === place).map(({ text }) => text);
const textAt = (place: string): string => piecesOf(place).join('\n');
/** What webhooks of a company received, without tests. */
const receivedBy = (companyId: string) =>
  played.stack.receiver.received.filter(
    ({ path, headers }) => path.includes(companyId) && headers['x-svc-test'] === undefined,
  );

const MCP_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const pollResponse = z.object({
  result: z.looseObject({ events: z.array(z.object({ eventId: z.string(), data: z.unknown() })) }),
});

describe('after everything has happened to the companies of two sides', () => {
  test('each company has received every event that its class may have, and no other one [EVENT-3, EVENT-4, EVENT-5]', () => {
    for (const company of played.companies) {
      const received = new Set(
        played.stack.receiver.received.flatMap(({ path, envelope }) =>
          path.includes(company.id) ? [envelope.event] : [],
        ),
      );
      expect([company.who, [...received].sort()]).toEqual([company.who, [...eventsOf(company.class)].sort()]);
    }
  });

  test('a company reads by API key, byte for byte, the events that its webhooks had [EVENT-9, EVENT-11]', async () => {
    for (const { seller, installer, keys } of played.sides) {
      for (const [path, key, { id }] of [
        ['/inbound/events', keys.general, seller],
        ['/partner/v1/events', keys.installer, installer],
      ] as const) {
        const { json } = await call(played.stack.baseUrl, `${path}?limit=100`, {
          headers: { 'x-api-key': key },
        });
        const verifier = new Webhook(`whsec_${Buffer.from(key).toString('base64')}`);
        const read = eventFeed.parse(json).events.map(({ headers, body }) => {
          verifier.verify(body, headers);
          return [headers['webhook-id'], body] as const;
        });
        const received = receivedBy(id).map(
          ({ envelope, body }) => [envelope.id, body.toString('utf8')] as const,
        );
        expect(received.length).toBeGreaterThan(5);
        expect(new Map(read)).toEqual(new Map(received));
      }
    }
  });

  test('an agent polls the same events over MCP, after the cursor of a page of them [MCP-12, MCP-13]', async () => {
    const { baseUrl } = played.stack;
    for (const { seller, installer, keys } of played.sides) {
      for (const [path, mcp, key, { id }] of [
        ['/inbound/events', MCP_PATHS.inbound, keys.general, seller],
        ['/partner/v1/events', MCP_PATHS.installer, keys.installer, installer],
      ] as const) {
        const first = await call(baseUrl, `${path}?limit=1`, { headers: { 'x-api-key': key } });
        const { events, nextCursor } = eventFeed.parse(first.json);
        const later = receivedBy(id).filter(
          ({ envelope }) => envelope.id !== events[0]?.headers['webhook-id'],
        );
        for (const name of new Set(later.map(({ envelope }) => envelope.event))) {
          const params = { name, cursor: nextCursor, maxEvents: 100, _meta: MCP_META };
          const { json } = await call(baseUrl, mcp, {
            method: 'POST',
            headers: { 'x-api-key': key, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'events/poll' },
            body: { jsonrpc: '2.0', id: 1, method: 'events/poll', params },
          });
          const { result } = pollResponse.parse(json);
          expect(result).toMatchObject({ truncated: false, hasMore: false });
          const expected = later.filter(({ envelope }) => envelope.event === name);
          expect(new Map(result.events.map(({ eventId, data }) => [eventId, data]))).toEqual(
            new Map(expected.map(({ envelope, body }) => [envelope.id, JSON.parse(body.toString('utf8'))])),
          );
        }
      }
    }
  });

  test('each canary is only where it may be [EVENT-5]', () => {
    expect(findings.leaks).toEqual([]);
  });

  test('each canary is everywhere where it may be, so that it would be found elsewhere', () => {
    expect(played.canaries.all.length).toBeGreaterThan(200);
    expect(played.canaries.all.filter(({ places }) => places.length === 0)).toEqual([]);
    expect(findings.unseen).toEqual([]);
  });

  test('logs, metrics, traces and the headers of dead letters hold none, and Redis the names in sessions alone', () => {
    const ofPlace = (place: string) => played.canaries.all.filter(({ places }) => places.includes(place));
    for (const place of OPERATIONS) expect([place, ofPlace(place)]).toEqual([place, []]);
    expect(ofPlace('redis').filter(({ what }) => !what.startsWith('name of'))).toEqual([]);
    // What has to be there, so that nothing was overlooked because nothing was kept.
    for (const { leadId, jobId } of played.sides) {
      expect(textAt('logs')).toContain(leadId);
      expect(textAt('logs')).toContain(jobId);
    }
    expect(textAt('metrics')).toContain('partner_http_request_duration_seconds');
    expect(textAt('metrics')).toContain('partner_platform_messages_total');
    expect(textAt('traces')).toContain('/inbound/leads');
    expect(textAt('redis')).toContain('session');
    expect(textAt('dead letters')).toContain('x-dead-reason');
    expect(textAt('unauthenticated')).toContain('openapi');
    for (const source of SOURCES) expect([source, textAt(source) === '']).toEqual([source, false]);
  });

  test('no secret goes from service to service through the broker', () => {
    const secrets = played.canaries.all.filter(({ what }) => /secret|session|password/.test(what));
    expect(secrets.length).toBeGreaterThan(20);
    expect(findCanaries(secrets, played.commands).leaks).toEqual([]);
    const email = played.canaries.all.find(({ what }) => what === 'email of the first lead of side A');
    expect(played.commands.some(({ text }) => text.includes(email?.text ?? 'no such email'))).toBe(true);
  });
});

const only = <T>(found: readonly T[]): T => {
  const [first] = found;
  if (first === undefined || found.length > 1) throw new Error(`${found.length} found instead of one`);
  return first;
};

const spans = (): readonly ExportedSpan[] => {
  const { traceId } = linkedSpan(played.traces) ?? {};
  return played.traces.spans.filter((span) => span.traceId === traceId);
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
    const rpc = { name: 'recordStatusEvent' };
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
      'partner.attempt_id': played.tracedWebhook.headers['x-svc-delivery-id'],
      'partner.outcome': 'delivered',
    });
    expect(played.tracedWebhook.headers['traceparent']).toBe(`00-${request.traceId}-${delivered.spanId}-01`);
  });

  test('has no span beside it, and each carries the id of the request', () => {
    const known = new Set(['', ...spans().map(({ spanId }) => spanId)]);
    expect(spans().filter(({ parentSpanId }) => !known.has(parentSpanId))).toEqual([]);
    expect(new Set(spans().map(({ attributes }) => attributes['partner.request_id']))).toEqual(
      new Set([REQUEST_ID]),
    );
  });

  test('of every span that was exported, the attributes are those that are known', () => {
    const names = new Set(played.traces.spans.flatMap(({ attributes }) => Object.keys(attributes)));
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

test('every metric and label in the alerts and dashboards of the charts is one that a service exposes', () => {
  const expressions = chartExpressions();
  expect(expressions.length).toBeGreaterThan(20);
  expect(expressionViolations(expressions, exposedMetrics(piecesOf('metrics'), declaredLabels()))).toEqual(
    [],
  );
});

test('no metric has a label of a name that the one who scrapes sets, which would be stored under another one', () => {
  const taken = [...exposedMetrics(piecesOf('metrics'), declaredLabels())].flatMap(([name, { labels }]) =>
    TARGET_LABELS.filter((label) => labels.has(label)).map((label) => `${name}: ${label}`),
  );
  expect(taken).toEqual([]);
});

test('no label of a metric holds an id or an address', () => {
  const ids = /"[^"]*\b(?:cmp|whk|job|evt|dlv|mem|key|led|bul)_[0-9a-z]{20,}|"[^"]*(?:@|https?:|\/\/)[^"]*"/;
  expect(
    textAt('metrics')
      .split('\n')
      .filter((line) => !line.startsWith('#') && ids.test(line)),
  ).toEqual([]);
});
