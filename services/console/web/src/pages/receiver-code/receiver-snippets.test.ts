/// <reference types="node" />
import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
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
  /** Stored ids. */
  readonly stored: readonly string[];
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
    stored: [],
  };
}

const without = (delivery: Delivery, ...names: readonly string[]): Delivery => ({
  ...delivery,
  headers: Object.fromEntries(Object.entries(delivery.headers).filter(([name]) => !names.includes(name))),
});

const withHeaders = (delivery: Delivery, headers: Readonly<Record<string, string>>): Delivery => ({
  ...delivery,
  headers: { ...delivery.headers, ...headers },
});

const ALL_CASES = {
  valid: signed(),
  'of the second secret': signed({ secret: SECRETS[2], version: '2' }),
  '200 seconds old': signed({ ageSeconds: 200 }),
  repeated: { ...signed(), stored: [EVENT_ID] },
  'with another body': { ...signed(), body: BODY.replace('install.test', 'install.tesu') },
  'with the JSON written anew': { ...signed(), body: JSON.stringify(JSON.parse(BODY)) },
  'of a wrong secret': signed({ secret: SECRETS[2] }),
  'of an unknown version': withHeaders(signed({ secret: SECRETS[2] }), {
    'x-svc-secret-version': '3',
  }),
  'signed with an empty secret': signed({ secret: 'whsec_', version: '3' }),
  'too old': signed({ ageSeconds: 310 }),
  'of the future': signed({ ageSeconds: -600 }),
  'with another time': withHeaders(signed({ ageSeconds: 310 }), {
    'x-svc-timestamp': String(Math.floor(Date.now() / 1_000)),
    'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
  }),
  'without signatures': without(signed(), 'x-svc-signature', 'webhook-signature'),
  'without a version': without(signed(), 'x-svc-secret-version'),
  'without any header': { ...signed(), headers: {} },
  'that cannot be stored': { ...signed(), storeFails: true },
} satisfies Record<string, Delivery>;

const EXPECTED: Readonly<Record<keyof typeof ALL_CASES, number>> = {
  valid: 204,
  'of the second secret': 204,
  '200 seconds old': 204,
  repeated: 204,
  'with another body': 401,
  'with the JSON written anew': 401,
  'of a wrong secret': 401,
  'of an unknown version': 401,
  'signed with an empty secret': 401,
  'too old': 401,
  'of the future': 401,
  'with another time': 401,
  'without signatures': 401,
  'without a version': 401,
  'without any header': 401,
  'that cannot be stored': 500,
};

const STORED: readonly string[] = ['valid', 'of the second secret', '200 seconds old'];

const results = z.record(z.string(), z.object({ status: z.number(), stored: z.array(z.unknown()) }));

/** Runs every case against the adjacent `receive`; an exception is 500, as in the page's web servers. */
const NODE_PLAYER = `
import { readFileSync } from 'node:fs';
import { receive } from './receive.mjs';
const results = {};
for (const [name, { headers, body, stored, storeFails }] of Object.entries(JSON.parse(readFileSync('cases.json', 'utf8')))) {
  const added = [];
  const store = {
    has: async (id) => stored.includes(id),
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
    def __init__(self, stored, fails):
        self.stored, self.fails, self.added = stored, fails, []
    def has(self, event_id):
        return event_id in self.stored
    def add(self, event_id, event):
        if self.fails:
            raise RuntimeError("full")
        self.added.append([event_id, event])

results = {}
for name, case in json.load(open("cases.json", encoding="utf-8")).items():
    store = Store(case["stored"], case.get("storeFails", False))
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

async function play(
  snippet: string,
  language: 'node' | 'python',
  cases: Readonly<Record<string, Delivery>>,
): Promise<z.infer<typeof results>> {
  const [program, code, player] =
    language === 'node'
      ? [process.execPath, 'receive.mjs', ['play.mjs', NODE_PLAYER] as const]
      : ['python3', 'receive.py', ['play.py', PYTHON_PLAYER] as const];
  const here = mkdtempSync(path.join(folder, `${language}-`));
  writeFileSync(path.join(here, code), snippet);
  writeFileSync(path.join(here, player[0]), player[1]);
  writeFileSync(path.join(here, 'cases.json'), JSON.stringify(cases));
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

describe.each([
  { name: 'Node with the library', file: 'node/library.mjs', language: 'node', isOwn: false },
  { name: 'Node by hand', file: 'node/by-hand.mjs', language: 'node', isOwn: true },
  { name: 'Python by hand', file: 'python/by_hand.py', language: 'python', isOwn: true },
] as const)('the receiver in $name', ({ file, language, isOwn }) => {
  let played: z.infer<typeof results>;

  beforeAll(async () => {
    const other = withHeaders(signed(), { 'webhook-id': 'evt_another' });
    played = await play(codeIn(file), language, { ...ALL_CASES, 'with the id of another event': other });
  });

  test.each(Object.entries(EXPECTED))('returns for a delivery %s %i', (name, status) => {
    expect(played[name]?.status).toBe(status);
  });

  test('refuses the id of another event with a signed body', () => {
    expect(played['with the id of another event']).toEqual({ status: isOwn ? 400 : 401, stored: [] });
  });

  test('stores only verified, new events, once', () => {
    const event: unknown = JSON.parse(BODY);
    for (const [name, { stored }] of Object.entries(played)) {
      expect([name, stored]).toEqual([name, STORED.includes(name) ? [[EVENT_ID, event]] : []]);
    }
  });
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
  expect([languageNamed('go'), languageNamed('cobol'), languageNamed(undefined)]).toEqual([
    'go',
    'node',
    'node',
  ]);
});
