/// <reference types="node" />
import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { curlScript, shellWord } from './shell-command.js';

test('a shell word can contain quotes and characters that the shell would expand', () => {
  expect(shellWord(`it's $HOME`)).toBe(`'it'\\''s $HOME'`);
});

test('the script sends the body with signatures of the secret in a variable', async () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const body = `{"note":"it's"}`;
  const script = curlScript({
    delivery: { event: 'install.test', eventId: 'evt_1', isTest: true },
    deliveryId: 'dlv_1',
    body,
    url: 'https://hooks.example/in',
    secretVersion: 2,
  });
  const { stdout } = await promisify(execFile)(
    'bash',
    ['-c', `curl() { printf '%s\\n' "$@"; cat; }\n${script}`],
    { env: { ...process.env, WEBHOOK_SECRET: secret } },
  );
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(stdout)?.[1] ?? '';
  const timestamp = header('x-svc-timestamp');
  const own = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const standard = createHmac('sha256', key).update(`evt_1.${timestamp}.${body}`).digest('base64');
  expect(header('x-svc-signature')).toBe(`v1=${own}`);
  expect(header('webhook-signature')).toBe(`v1,${standard}`);
  expect(header('x-svc-secret-version')).toBe('2');
  expect(header('x-svc-test')).toBe('true');
  expect(stdout).toMatch(/^https:\/\/hooks\.example\/in\n/);
  expect(stdout.endsWith(body)).toBe(true);
});
