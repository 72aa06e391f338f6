import { expect, test } from '@jest/globals';
import { shellWord } from '../../shell-word.js';
import { curlScript } from './curl-script.js';

test('a shell word can contain quotes and characters that the shell would expand', () => {
  expect(shellWord(`it's $HOME`)).toBe(`'it'\\''s $HOME'`);
});

test('the script sends the body and reads the secret from a variable', () => {
  const script = curlScript({
    delivery: { id: 'dlv_1', event: 'install.test', eventId: 'evt_1', isTest: true },
    body: `{"note":"it's"}`,
    url: 'https://hooks.example/in',
    secretVersion: 2,
  });
  expect(script).toContain(`BODY='{"note":"it'\\''s"}'`);
  expect(script).toContain('openssl dgst -sha256 -hmac "$WEBHOOK_SECRET"');
  expect(script).toContain('${WEBHOOK_SECRET#whsec_}');
  expect(script).toContain("curl 'https://hooks.example/in'");
  expect(script).toContain("'x-svc-secret-version: 2'");
  expect(script).toContain("'x-svc-test: true'");
});
