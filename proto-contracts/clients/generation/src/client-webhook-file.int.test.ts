import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { runCommand } from '@partner/local-stack/run-command';
import { configuredOf } from '@partner/proto-contracts/resources/webhook-proposal/plan-webhooks';
import {
  DIFFERENCE_EXAMPLE,
  PROPOSAL_EXAMPLE,
} from '@partner/proto-contracts/resources/webhook-proposal/webhook-proposal';
import { SUBSCRIPTION_EXAMPLE } from '@partner/proto-contracts/resources/subscription/subscription';
import { baseEnvironment } from '@partner/test-kit/backing-services/local-process';
import { type Receiver, startReceiver } from '@partner/test-kit/receiver';
import { json, refusal, type Respond } from './testing/scripted-service.js';

const FILE = { webhooks: [configuredOf(SUBSCRIPTION_EXAMPLE)] };
const PLAN = { differences: [DIFFERENCE_EXAMPLE], unchanged: 0, proposal: PROPOSAL_EXAMPLE };

const folder = mkdtempSync(path.join(os.tmpdir(), 'webhook-file-'));
const file = path.join(folder, 'webhooks.json');
let service: Receiver;
let respond: Respond;

beforeAll(async () => {
  service = await startReceiver({ respond: (request, response) => respond(response, request) });
});
afterAll(() => service.close());

/** Runs the command with a service that responds so. */
async function run(first: Respond, ...args: readonly string[]) {
  respond = first;
  const cli = path.join(PROJECT_ROOT, 'proto-contracts/clients/typescript/dist/cli.js');
  const { exitCode, stdout, stderr } = await runCommand(process.execPath, [cli, 'webhooks', ...args], {
    env: {
      ...baseEnvironment(),
      ...{ PARTNER_API_KEY: 'key_a.b', PARTNER_URL: `http://127.0.0.1:${service.port}` },
    },
  });
  return { exitCode, lines: stdout.trim().split('\n'), stderr: stderr.trim() };
}

test('the client exports, plans and proposes a file, and ends with 5 while there is a difference [CONFIG-11]', async () => {
  expect((await run(json(200, FILE), 'export', file)).exitCode).toBe(0);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(FILE);
  const lines = [
    '~ change whk_01k3h5d8vqf2mw7x0r4tn6ysbe "Dispatch board"',
    '    deliveriesPerSecond: none -> 20',
    '1 different, 0 unchanged',
    `proposal: pending, until 2026-09-02T14:03:00.000Z, http://127.0.0.1:${service.port}${PLAN.proposal.consolePath}`,
  ];
  expect(await run(json(200, PLAN), 'plan', file)).toEqual({ exitCode: 0, lines, stderr: '' });
  expect(await run(json(200, PLAN), 'plan', file, '--exit-code')).toMatchObject({ exitCode: 5, lines });
  expect(
    await run(json(200, PLAN), 'propose', file, '--source', 'a1', '--prune', '--exit-code'),
  ).toMatchObject({
    exitCode: 5,
    lines,
  });
  const sent = service.requests.map(({ method, path: to, body }) => [method, to, body.toString()]);
  expect(sent.map(([method, to]) => `${method} ${to}`)).toEqual([
    'GET /automation/v1/webhook-file',
    'POST /automation/v1/webhook-file/plan',
    'POST /automation/v1/webhook-file/plan',
    'POST /automation/v1/webhook-proposals',
  ]);
  expect(JSON.parse(sent.at(-1)?.[2] ?? '')).toEqual({ ...FILE, prune: true, source: 'a1' });
  const none = json(200, { differences: [], unchanged: 1, proposal: null });
  expect(await run(none, 'plan', file, '--exit-code')).toMatchObject({
    exitCode: 0,
    lines: ['0 different, 1 unchanged'],
  });
});

test('the client names every violation of a file, and refuses one that is none [CONFIG-11]', async () => {
  const details = [
    { path: 'webhooks.0.url', message: 'must use port 443' },
    { path: 'webhooks.1.description', message: 'is required' },
  ];
  expect(await run(refusal(400, 'invalid_argument', { details }), 'plan', file)).toMatchObject({
    exitCode: 1,
    lines: details.map(({ path: place, message }) => `${file}: ${place}: ${message}`),
  });
  for (const [text, message] of [
    ['webhooks: []', 'is not JSON'],
    ['[]', 'must be an object with the list "webhooks"'],
  ] as const) {
    writeFileSync(file, text);
    expect(await run(json(200, PLAN), 'plan', file)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(message),
    });
  }
  expect(await run(json(200, PLAN), 'apply', file)).toMatchObject({ exitCode: 2 });
});
