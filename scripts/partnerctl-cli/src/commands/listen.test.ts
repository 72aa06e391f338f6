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
let ca = '';

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'partnerctl-listen-'));
  const { caFile, certificateFile, keyFile } = await ensureCertificates(directory, 'hooks.example');
  ca = readFileSync(caFile, 'utf8');
  port = await freePort();
  const listener = { url: `https://localhost:${port}`, port, certificateFile, keyFile };
  writeFileSync(
    path.join(directory, 'stack.json'),
    JSON.stringify({ ...aStack('amqp://127.0.0.1:1/partner'), listener }),
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

test('a listener ends after its time', async () => {
  const { up, said, ended } = listening('--for', '1', '--count', '1');
  await up;
  await expect(ended).resolves.toBe(1);
  expect(said.err).toContain('only 0 of 1 event came');
});
