import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import { CONSOLE_OPERATIONS } from '@partner/proto-contracts/surfaces/console';
import { eventually } from '@partner/test-kit/eventually';
import { type HttpResponse, sendCall } from '@partner/test-kit/http-call';
import { type AcceptanceWorld, startAcceptanceWorld } from './acceptance/acceptance-world.js';
import { spoilt } from './acceptance/requests-of.js';
import { addOwner } from './support/companies.js';
import { createActiveSubscription, signIn } from './support/owner-session.js';
import { consoleRequests, createConsoleSide } from './surfaces/console-side.js';
import { isOnJob, SURFACE_OPERATIONS } from './surfaces/surface-operations.js';
import { validRequest } from './surfaces/valid-request.js';

/** Responses and webhooks as the last release sends them. `RECORD_BYTES=1` replaces the file by what this build sends. */
const FILE = fileURLToPath(new URL('../recorded/bytes.txt', import.meta.url));

/** What differs between two runs of one build, by what stands for it. */
const VARIABLE: readonly (readonly [RegExp, string])[] = [
  [/\b(svc_\w+|key_[0-9a-z]{26})\.[\w-]+/g, '<key>'],
  [/\bv1([=,])[\w+/]{40,}=?/g, 'v1$1<signature>'],
  [/timestamp":"\d+"/g, 'timestamp":"<time>"'],
  [/"lastFour":"\w+"/g, '"lastFour":"<text>"'],
  [/\b[A-Z2-7]{32}\b/g, '<secret>'],
  [/\w{3}, \d\d \w{3} \d{4} [\d:]+ GMT/g, '<time>'],
  [/\bwhsec_[\w+/=-]+/g, '<secret>'],
  [/\b([a-z]{3,4})_[0-9a-z]{26}\b/g, '$1_<id>'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'],
  [/"(nextCursor|cursor)":"[^"]+"/g, '"$1":"<cursor>"'],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<uuid>'],
  [/(localhost|127\.0\.0\.1|[a-z.]+\.(test|example|localhost)):\d+/g, '$1:<port>'],
  // On a slow machine the receiver closes the connection before the next attempt, which then opens one.
  [/"reusedConnection":\w+/, '"reusedConnection":<flag>'],
  [/"(connectMs|tlsMs)":null/g, '"$1":<number>'],
  [/"(\w*(?:Ms|Seconds|Rate)|p\d\d|offset)":[\d.]+/g, '"$1":<number>'],
];

const SHOWN_HEADERS = new Set([
  'allow',
  'cache-control',
  'content-type',
  'deprecation',
  'idempotency-expires',
  'idempotency-replayed',
  'link',
  'location',
  'ratelimit-policy',
  'retry-after',
  'vary',
  'www-authenticate',
  'x-svc-api-version',
]);

const LAST = ['revokeApiKey', 'removeColleague', 'deleteWebhook', 'endSession', 'deleteSession'];

let world: AcceptanceWorld;
beforeAll(async () => {
  world = await startAcceptanceWorld();
  const { stack, side } = world;
  for (const [companyId, events] of [
    [side.installerId, ['install.*']],
    [side.sellerId, ['appointment.*', 'project.*']],
  ] as const) {
    const owner = await addOwner(stack, companyId);
    await createActiveSubscription(owner, { url: stack.receiverUrl, events });
  }
});
afterAll(async () => {
  await world.stack.stop();
});

describe('bytes that must not change', () => {
  test('every response and webhook is as recorded', async () => {
    const lines = [...(await surfaceLines()), ...(await webhookLines()), ...(await consoleLines())];
    const text = `${lines.join('\n')}\n`;
    if (process.env['RECORD_BYTES'] === '1') writeFileSync(FILE, text);
    expect(text.split('\n')).toEqual(readFileSync(FILE, 'utf8').split('\n'));
  });
});

async function surfaceLines(): Promise<readonly string[]> {
  const { stack, side } = world;
  const lines: string[] = [];
  for (const operation of SURFACE_OPERATIONS) {
    const valid = await validRequest(stack, side, operation);
    const send = async (title: string, sent: Promise<HttpResponse>) => {
      lines.push(`## ${operation.id}: ${title}`, ...linesOf(await sent));
    };
    await send('valid', world.send(valid));
    await send('repeated', world.send(valid));
    await send('invalid', world.send(spoilt(operation, valid)));
    await send('without a key', world.send({ ...valid, headers: {} }));
    if (operation.idempotencyKey !== undefined) {
      await send('other body', world.send({ ...valid, body: { ...valid.body, extra: 1 } }));
    }
    if (isOnJob(operation)) {
      await send(
        'of another',
        world.send({ ...valid, path: valid.path.replace(side.jobId, world.other.jobId) }),
      );
    }
  }
  const key = side.keys['installer-company'];
  for (const query of ['from=start&limit=1', 'view=snapshot', 'from=start&include=unassigned', 'cursor=x']) {
    const path = `/partner/v1/jobs?${query}`;
    lines.push(
      `## ${path}`,
      ...linesOf(await world.send({ method: 'GET', path, headers: { 'x-api-key': key } })),
    );
  }
  return lines;
}

async function consoleLines(): Promise<readonly string[]> {
  const { stack } = world;
  const lines: string[] = [];
  const company = stack.company('SALES', 1);
  const side = await createConsoleSide(stack, company);
  const order = ({ id, method }: AnyOperation) => (LAST.includes(id) ? 2 : method === 'get' ? 0 : 1);
  const operations = CONSOLE_OPERATIONS.filter(({ id }) => id !== 'streamChanges');
  for (const operation of operations.toSorted((one, other) => order(one) - order(other))) {
    const { headers } = await signIn(stack.baseUrl, company.owner);
    for (const [place, request] of consoleRequests(operation, side).entries()) {
      const { path, ...call } = request;
      const response = await sendCall(stack.baseUrl, path, { ...call, headers });
      lines.push(`## ${operation.id}: ${place}`, ...linesOf(response));
    }
  }
  return lines;
}

async function webhookLines(): Promise<readonly string[]> {
  const { stack, side } = world;
  await eventually('the deliveries have finished', async () => {
    const { rowCount } = await stack.database.query(
      `select 1 from deliveries join subscriptions s on s.id = subscription_id
       where s.company_id = any($1) and s.url not like '%paused.test%' limit 1`,
      [[side.installerId, side.sellerId]],
    );
    return rowCount === 0;
  });
  const texts = stack.receiver.received.map(({ headers, body }) => {
    const names = Object.keys(headers).toSorted().join(' ');
    return `${names}\n${steady(body.toString())}`;
  });
  return ['## webhooks', ...[...new Set(texts)].toSorted()].flatMap((text) => text.split('\n'));
}

function linesOf({ status, headers, text }: HttpResponse): readonly string[] {
  const shown = [...headers]
    .filter(([name]) => SHOWN_HEADERS.has(name))
    .map(([name, value]) => `${name}: ${value}`);
  const names = [...headers.keys()].join(' ');
  return [String(status), names, ...shown, text].map(steady).flatMap((line) => line.split('\n'));
}

function steady(text: string): string {
  return VARIABLE.reduce((line, [pattern, replacement]) => line.replace(pattern, replacement), text);
}
