import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/ids';
import { freePort } from '@partner/test-kit/backing-services/local-process';
import { ensureCertificates } from '@partner/local-stack/receiver/certificates';
import { httpStatus } from '@partner/local-stack/receiver/http-status';
import { type SignedDelivery, signDelivery } from '@partner/local-stack/receiver/sign-delivery';
import { aStack } from '../testing/a-stack.js';
import { inProcess } from '../testing/in-process.js';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

let directory = '';
let port = 0;
let secondPort = 0;
let ca = '';

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'partnerctl-listen-'));
  const { caFile, certificateFile, keyFile } = await ensureCertificates(directory, 'hooks.example');
  ca = readFileSync(caFile, 'utf8');
  port = await freePort();
  secondPort = await freePort();
  const listener = { url: `https://localhost:${port}`, port, certificateFile, keyFile };
  writeFileSync(
    path.join(directory, 'stack.json'),
    JSON.stringify({
      ...aStack('amqp://127.0.0.1:1/partner'),
      listener,
      moreListeners: [{ url: `https://second.example:${secondPort}`, port: secondPort }],
    }),
  );
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Runs `listen`; returns promises for its start and its end. */
function listening(...args: readonly string[]) {
  let isUp: () => void = () => undefined;
  const up = new Promise<void>((resolve) => {
    isUp = resolve;
  });
  const { run, said } = inProcess({
    env: { PARTNER_STACK_DIRECTORY: directory },
    tell: (text) => {
      if (text.includes('listening')) isUp();
    },
    read: async () => `${SECRET}\n`,
  });
  return { up, said, ended: run(['listen', '--json', '--path', '/hooks', ...args]) };
}

function deliveryOf(eventId: string, event = 'install.job_assigned'): SignedDelivery {
  const body = Buffer.from(JSON.stringify({ id: eventId, event }));
  return signDelivery({ secret: SECRET, secretVersion: 1, event, eventId, at: new Date(), body });
}

const post = ({ headers, body }: SignedDelivery) =>
  httpStatus(`https://localhost:${port}/hooks`, { method: 'POST', headers, ca }, body.toString('utf8'));

test('a listener counts distinct events, without tests', async () => {
  const { up, said, ended } = listening('--count', '2', '--secret-file', '-');
  await up;
  const twice = newId('evt');
  for (const delivery of [
    deliveryOf(newId('evt'), 'install.test'),
    deliveryOf(twice),
    deliveryOf(twice),
    deliveryOf(newId('evt')),
  ]) {
    await expect(post(delivery)).resolves.toBe(200);
  }
  await expect(ended).resolves.toBe(0);
  expect(JSON.parse(said.out)).toMatchObject({
    received: [
      { verified: true, duplicate: false },
      { verified: true, duplicate: false },
      { verified: true, duplicate: true },
      { verified: true, duplicate: false },
    ],
  });
});

test('a forwarded delivery without a response says why', async () => {
  const closed = await freePort();
  const { up, said, ended } = listening(
    ...['--count', '1', '--for', '5', '--secret-file', '-', '--forward', `http://127.0.0.1:${closed}/hook`],
  );
  await up;
  await expect(post(deliveryOf(newId('evt')))).resolves.toBe(502);
  await expect(ended).resolves.toBe(0);
  expect(said.err).toContain(
    `http://127.0.0.1:${closed} gave no response: nothing listens there (ECONNREFUSED)`,
  );
});

test('several listeners run at once, each with a separate address, until the stack has no more', async () => {
  const first = listening('--for', '2');
  await first.up;
  const second = listening('--for', '2');
  await second.up;
  expect(second.said.err).toContain('webhooks to https://second.example:');
  const third = listening('--for', '1');
  await expect(third.ended).resolves.toBe(1);
  expect(third.said.err).toContain(
    `has each port that the stack delivers to: ${port}, ${secondPort}; stop one`,
  );
  const other = listening('--port', '1');
  await expect(other.ended).resolves.toBe(2);
  expect(other.said.err).toContain('--port must be one that the stack delivers to');
  await expect(Promise.all([first.ended, second.ended])).resolves.toEqual([0, 0]);
});

test('a listener ends after its time', async () => {
  const { up, said, ended } = listening('--for', '1', '--count', '1');
  await up;
  await expect(ended).resolves.toBe(1);
  expect(said.err).toContain('only 0 of 1 event came');
});
