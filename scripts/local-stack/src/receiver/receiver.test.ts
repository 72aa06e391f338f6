import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { PROJECT_ROOT, readProjectFile } from '../project-root.js';
import { runCommand } from '../run-command.js';
import { ensureCertificates } from './certificates.js';
import { httpStatus } from './http-status.js';
import { openKnownSecrets, registerSecret } from './known-secrets.js';
import { readReceived, bytesOf } from './request-log.js';
import { serveReceiver } from './receiver.js';
import { signDelivery } from './sign-delivery.js';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

let directory = '';
let caFile = '';
let port = 0;
let stop: () => Promise<void> = async () => undefined;

const logFile = () => path.join(directory, 'requests.jsonl');

async function start(): Promise<void> {
  const certificate = await ensureCertificates(directory, 'receiver.partner.test');
  const receiver = await serveReceiver({
    certificate,
    port: 0,
    variable: 'test',
    logFile: logFile(),
    secrets: openKnownSecrets(path.join(directory, 'secrets.json')),
  });
  caFile = certificate.caFile;
  port = receiver.port;
  stop = () => receiver.close();
}

beforeEach(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'partner-receiver-'));
  await start();
});

afterEach(async () => {
  await stop();
  rmSync(directory, { recursive: true, force: true });
});

function post(
  where: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>>,
  host = 'receiver.partner.test',
): Promise<number> {
  const trusted = { ca: readFileSync(caFile), servername: 'receiver.partner.test' };
  const options = { ...trusted, method: 'POST', headers: { ...headers, host } };
  return httpStatus(`https://127.0.0.1:${port}${where}`, options, body);
}

function deliver(where: string, eventId: string, tamper = (body: string) => body): Promise<number> {
  const event = 'install.test';
  const body = Buffer.from(JSON.stringify({ id: eventId, event }));
  const { headers } = signDelivery({ secret, secretVersion: 1, event, eventId, at: new Date(), body });
  return post(where, tamper(body.toString('utf8')), headers);
}

function tell(known: { path?: string; version?: number } = {}): Promise<void> {
  const controlUrl = `https://127.0.0.1:${port}/_control/secrets`;
  return registerSecret({ controlUrl, caFile }, { version: 1, secret, ...known });
}

test('writes a verified delivery to the disk, byte for byte, before it responds', async () => {
  await tell({ path: '/hooks' });

  await expect(deliver('/hooks', 'evt_1')).resolves.toBe(200);

  const [line, ...others] = await readReceived(logFile(), '/hooks');
  expect(others).toEqual([]);
  expect(line).toMatchObject({
    path: '/hooks',
    verified: true,
    duplicate: false,
    status: 200,
    problem: null,
  });
  expect(line?.headers['x-svc-event']).toBe('install.test');
  expect(line?.body).toBe('{"id":"evt_1","event":"install.test"}');
});

test('verifies with a secret that the command of the page for containers has registered', async () => {
  const [, script = ''] =
    /docker compose exec receiver node scripts\/(\S+) whsec_…/.exec(
      readProjectFile('scripts/docs/local-stack.md'),
    ) ?? [];
  const file = path.join(PROJECT_ROOT, 'scripts', script);
  const place = ['--port', String(port), '--certificates', path.dirname(caFile)];
  await expect(runCommand(process.execPath, [file, 'no secret', ...place])).resolves.toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('whsec_ followed by base64'),
  });
  await expect(runCommand(process.execPath, [file, secret, ...place])).resolves.toMatchObject({
    exitCode: 0,
  });

  await expect(deliver('/hooks', 'evt_1')).resolves.toBe(200);
  expect(await readReceived(logFile(), '/hooks')).toMatchObject([{ verified: true }]);
});

test.each([
  ['text', 'utf8', Buffer.from('\ufeff{"name":"Zoë"}\r\n')],
  ['base64 if they are not UTF-8', 'base64', Buffer.from([0xff, 0x00, 0x80])],
])('logs the bytes of a body as %s', async (_how, bodyEncoding, body) => {
  await post('/hooks', body, {});

  const [line] = await readReceived(logFile(), '/hooks');
  expect(line).toMatchObject({ bodyEncoding, body: body.toString(line?.bodyEncoding) });
  expect(line && bytesOf(line)).toEqual(body);
});

test('logs and refuses a delivery with a changed body', async () => {
  await tell();

  await expect(deliver('/hooks', 'evt_1', (body) => body.replace('test', 'toast'))).resolves.toBe(401);

  expect(await readReceived(logFile(), '/hooks')).toMatchObject([{ verified: false, status: 401 }]);
});

test('refuses a secret version that it does not know, unless it has no secret for the path [RECEIVER-5, RECEIVER-6]', async () => {
  await tell({ path: '/elsewhere' });
  await expect(deliver('/hooks', 'evt_1')).resolves.toBe(200);
  await tell({ path: '/hooks', version: 2 });
  await expect(deliver('/hooks', 'evt_2')).resolves.toBe(401);

  expect(await readReceived(logFile(), '/hooks')).toMatchObject([
    { verified: null, status: 200 },
    { verified: false, status: 401, problem: 'x-svc-secret-version names a version that is not registered' },
  ]);
});

test('returns 200 for a repeated event and marks it, also after a restart of the receiver [RECEIVER-3]', async () => {
  await tell();
  await deliver('/hooks', 'evt_1');
  await deliver('/hooks', 'evt_1');
  await stop();
  await start();

  await expect(deliver('/hooks', 'evt_1')).resolves.toBe(200);
  await deliver('/hooks', 'evt_2');

  const lines = await readReceived(logFile(), '/hooks');
  expect(lines.map(({ duplicate }) => duplicate)).toEqual([false, true, true, false]);
  expect(lines.map(({ verified }) => verified)).toEqual([true, true, true, true]);
});

test('a path can request failures; the event counts as new until it is accepted', async () => {
  const where = '/fail/503/2/hooks';
  await tell();
  const statuses: number[] = [];
  for (const eventId of ['evt_1', 'evt_1', 'evt_2', 'evt_1', 'evt_1']) {
    statuses.push(await deliver(where, eventId));
  }

  expect(statuses).toEqual([503, 503, 503, 200, 200]);
  const lines = await readReceived(logFile(), where);
  expect(lines.map(({ duplicate }) => duplicate)).toEqual([false, false, false, false, true]);
});

test('a subscriber cannot reach the control paths by the name of the host', async () => {
  const body = JSON.stringify({ version: 1, secret });

  await expect(post('/_control/secrets', body, {})).resolves.toBe(200);
  await expect(post('/_control/secrets', body, {}, 'localhost')).resolves.toBe(200);
  await expect(post('/_control/secrets', '{"version":0}', {}, 'localhost')).resolves.toBe(400);

  expect(await readReceived(logFile(), '/_control/secrets')).toMatchObject([{ verified: null }]);
});

test('skips a line that a crash has cut off, and writes the next record on a new line', async () => {
  await tell();
  await deliver('/hooks', 'evt_1');
  await stop();
  writeFileSync(logFile(), `${readFileSync(logFile(), 'utf8')}{"receivedAt":"2026-`);
  await start();

  await deliver('/hooks', 'evt_2');

  const lines = await readReceived(logFile(), '/hooks');
  expect(lines.map(({ headers }) => headers['webhook-id'])).toEqual(['evt_1', 'evt_2']);
});
