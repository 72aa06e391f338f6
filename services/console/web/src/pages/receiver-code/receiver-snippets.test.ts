/// <reference types="node" />
import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { LANGUAGE_IDS, languageNamed, LANGUAGES } from './languages.js';

const run = promisify(execFile);

const CODE = path.join(import.meta.dirname, '../../../../web/src/pages/receiver-code/code');

const codeIn = (file: string) => readFileSync(path.join(CODE, file), 'utf8');

const SECRETS = {
  1: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
  2: `whsec_${Buffer.alloc(32, 2).toString('base64')}`,
};
const EVENT_ID = 'evt_01k3jd7s2wf0bq6nv4xm8y5tcr';
/** A body whose bytes differ from its re-serialised JSON. */
const BODY = `{ "id":"${EVENT_ID}", "event":"install.test", "data":{"note":"caf\u00e9 \\u2615"} }`;

interface Delivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether storing fails. */
  readonly storeFails?: boolean;
}

/** A signed delivery. */
function signed(
  options: { readonly ageSeconds?: number; readonly secret?: string; readonly version?: string } = {},
): Delivery {
  const { ageSeconds = 0, secret = SECRETS[1], version = '1' } = options;
  const timestamp = String(Math.floor(Date.now() / 1_000) - ageSeconds);
  const own = createHmac('sha256', secret).update(`${timestamp}.${BODY}`).digest('hex');
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const standard = createHmac('sha256', key).update(`${EVENT_ID}.${timestamp}.${BODY}`).digest('base64');
  return {
    headers: {
      'x-svc-timestamp': timestamp,
      'x-svc-secret-version': version,
      'x-svc-signature': `v1=${own}`,
      'webhook-id': EVENT_ID,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${standard}`,
    },
    body: BODY,
  };
}

/** The other cases are those of each receiver as a server, in the system tests. */
const CASES = {
  valid: { ...signed(), status: 204 },
  'of the second secret': { ...signed({ secret: SECRETS[2], version: '2' }), status: 204 },
  '200 seconds old': { ...signed({ ageSeconds: 200 }), status: 204 },
  'with the JSON written anew': { ...signed(), body: JSON.stringify(JSON.parse(BODY)), status: 401 },
  'of a wrong secret': { ...signed({ secret: SECRETS[2] }), status: 401 },
  'signed with an empty secret': { ...signed({ secret: 'whsec_', version: '3' }), status: 401 },
  'that cannot be stored': { ...signed(), storeFails: true, status: 500 },
} satisfies Record<string, Delivery & { readonly status: number }>;

const results = z.record(z.string(), z.object({ status: z.number(), stored: z.array(z.unknown()) }));

/** Runs every case against the adjacent `receive`; an exception is 500, as in the page's web servers. */
const NODE_PLAYER = `
import { readFileSync } from 'node:fs';
import { receive } from './receive.mjs';
const results = {};
for (const [name, { headers, body, storeFails }] of Object.entries(JSON.parse(readFileSync('cases.json', 'utf8')))) {
  const added = [];
  const store = {
    has: async () => false,
    add: async (id, event) => {
      if (storeFails) throw new Error('full');
      added.push([id, event]);
    },
  };
  const status = await receive(headers, Buffer.from(body), store).catch(() => 500);
  results[name] = { status, stored: added };
}
console.log(JSON.stringify(results));
`;

const PYTHON_PLAYER = `
import json
from receive import receive

class Store:
    def __init__(self, fails):
        self.fails, self.added = fails, []
    def has(self, event_id):
        return False
    def add(self, event_id, event):
        if self.fails:
            raise RuntimeError("full")
        self.added.append([event_id, event])

results = {}
for name, case in json.load(open("cases.json", encoding="utf-8")).items():
    store = Store(case.get("storeFails", False))
    try:
        status = receive(case["headers"], case["body"].encode(), store)
    except Exception:
        status = 500
    results[name] = {"status": status, "stored": store.added}
print(json.dumps(results))
`;

// Inside the project, so that its packages are found.
const folder = mkdtempSync(path.join(import.meta.dirname, 'snippets-'));

afterAll(() => rmSync(folder, { recursive: true }));

async function play(snippet: string, language: 'node' | 'python'): Promise<z.infer<typeof results>> {
  const [program, code, player] =
    language === 'node'
      ? [process.execPath, 'receive.mjs', ['play.mjs', NODE_PLAYER] as const]
      : ['python3', 'receive.py', ['play.py', PYTHON_PLAYER] as const];
  const here = mkdtempSync(path.join(folder, `${language}-`));
  writeFileSync(path.join(here, code), snippet);
  writeFileSync(path.join(here, player[0]), player[1]);
  writeFileSync(path.join(here, 'cases.json'), JSON.stringify(CASES));
  const { stdout } = await run(program, [player[0]], {
    cwd: here,
    env: {
      PATH: process.env['PATH'],
      WEBHOOK_SECRET_1: SECRETS[1],
      WEBHOOK_SECRET_2: SECRETS[2],
      WEBHOOK_SECRET_: '',
    },
  });
  return results.parse(JSON.parse(stdout));
}

test.each([
  ['Node with the library', 'node/library.mjs', 'node'],
  ['Node by hand', 'node/by-hand.mjs', 'node'],
  ['Python by hand', 'python/by_hand.py', 'python'],
] as const)('%s stores verified, new events only, and refuses wrong secrets', async (_, file, language) => {
  const event: unknown = JSON.parse(BODY);
  const expected = Object.entries(CASES).map(([name, { status }]) => [
    name,
    { status, stored: status === 204 ? [[EVENT_ID, event]] : [] },
  ]);
  expect(await play(codeIn(file), language)).toEqual(Object.fromEntries(expected));
});

test('every language has code and a unique name', () => {
  expect(LANGUAGES.map(({ id }) => id)).toEqual(LANGUAGE_IDS);
  for (const { library, packageName, install } of LANGUAGES) {
    expect(codeIn(library)).toContain('WEBHOOK_SECRET_');
    expect(codeIn(library)).toMatch(/x.svc.secret.version/i);
    expect(install).toContain(packageName.split(':').at(-1));
  }
});

test('an unknown language falls back to the first one', () => {
  expect(['go', 'cobol', undefined].map(languageNamed)).toEqual(['go', 'node', 'node']);
});
