import { readFileSync } from 'node:fs';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';

const SCRIPT = readFileSync(path.join(import.meta.dirname, '../../web/early/link-secrets.js'), 'utf8');

/** Runs the first script of the page at an address. Returns the state and the address that the history entry gets, if any. */
function openedAt(address: string): readonly unknown[] | undefined {
  let replaced: readonly unknown[] | undefined;
  runInNewContext(SCRIPT, {
    location: new URL(address, 'https://partner.example'),
    history: {
      state: { key: 'k' },
      replaceState: (...given: readonly unknown[]) => {
        replaced = given;
      },
    },
  });
  return replaced;
}

test.each([
  ['/console/set-password#tok-en_1', { linkToken: 'tok-en_1' }],
  ['/console/technical-contact/confirm#t', { linkToken: 't' }],
  ['/console/sign-in/callback?code=c&state=s', { providerResponse: 'code=c&state=s' }],
])('the secret of %s leaves the address bar before the first request [ANNOUNCE-12]', (address, usr) => {
  const { pathname } = new URL(address, 'https://partner.example');
  expect(openedAt(address)).toEqual([{ key: 'k', usr }, '', pathname]);
});

test.each(['/console/webhooks?page=2#secret', '/console/set-password', '/console/sign-in?next=/a'])(
  'the address %s stays as it is',
  (address) => {
    expect(openedAt(address)).toBeUndefined();
  },
);
