import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import {
  LANGUAGE_IDS,
  type LanguageId,
  LANGUAGES,
  languageNamed,
} from '@partner/console/web-modules/pages/receiver-code/languages';
import { newId } from '@partner/kernel/process/ids';
import { closeServer, listen } from '@partner/kernel/process/listen';
import { asymmetricSignature, publicKeyOf, privateKeyOf } from '@partner/kernel/security/signing-keys';
import {
  baseEnvironment,
  freePort,
  type LocalProcess,
  startLocalProgram,
} from '@partner/test-kit/backing-services/local-process';
import { type SignedDelivery, signDelivery } from '@partner/local-stack/receiver/sign-delivery';
import {
  type Command,
  ensureGoModule,
  ensureJars,
  ensurePython,
  runProgram,
} from '@partner/local-stack/toolchains/toolchains';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const SECOND_SECRET = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const PRIVATE_KEY = privateKeyOf(Buffer.alloc(32, 7), 'whk_1');

/** Where the receivers without a secret read their public key. */
const keys = JSON.stringify({ keys: [{ publicKey: publicKeyOf(PRIVATE_KEY), signs: true }] });
const keysServer = createServer((_request, response) => response.end(keys));
const keysPort = await listen(keysServer, { host: '127.0.0.1', port: 0, variable: 'test' });

type Delivery = Pick<SignedDelivery, 'headers'> & { readonly body: Uint8Array<ArrayBuffer> };

function signedDelivery(
  ageSeconds = 0,
  { secret, secretVersion } = { secret: SECRET, secretVersion: 1 },
): Delivery & { readonly eventId: string } {
  const eventId = newId('evt');
  const event = 'install.status_changed';
  const body = Buffer.from(`{ "id":"${eventId}", "event":"${event}", "data":{"note":"caf\u00e9 \\u2615"} }`);
  const at = new Date(Date.now() - ageSeconds * 1_000);
  const { headers } = signDelivery({ secret, secretVersion, event, eventId, at, body });
  const content = { eventId, timestamp: Math.floor(at.getTime() / 1_000), body };
  const signatures = `${headers['webhook-signature']} ${asymmetricSignature(PRIVATE_KEY, content)}`;
  return { eventId, headers: { ...headers, 'webhook-signature': signatures }, body: Uint8Array.from(body) };
}

/** A signed delivery with other headers; one with an empty text is missing. */
function withHeaders(changes: Readonly<Record<string, string>>, ageSeconds?: number): Delivery {
  const { headers, body } = signedDelivery(ageSeconds);
  const changed = Object.entries({ ...headers, ...changes }).filter(([, text]) => text !== '');
  return { headers: Object.fromEntries(changed), body };
}

/** Both forms of what signs a delivery. */
const bothAt = (text: string) => ({ 'x-svc-timestamp': text, 'webhook-timestamp': text });
const bothSigned = (own: string, standard: string) => ({
  'x-svc-signature': own,
  'webhook-signature': standard,
});

function withBody(change: (body: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>): Delivery {
  const { headers, body } = signedDelivery();
  return { headers, body: change(body) };
}

/** Deliveries that every receiver refuses; each is made at the moment of its test, so that its time is right. */
const REFUSED: Readonly<Record<string, () => Delivery>> = {
  'a changed byte': () => withBody((body) => body.with(body.length - 4, (body.at(-4) ?? 0) ^ 1)),
  'its JSON written anew': () =>
    withBody((body) => new TextEncoder().encode(JSON.stringify(JSON.parse(new TextDecoder().decode(body))))),
  'an added space': () => withBody((body) => Uint8Array.from([...body, 0x20])),
  'another timestamp than the signed one': () =>
    withHeaders(bothAt(String(Math.floor(Date.now() / 1_000))), 200),
  'a timestamp that is no number': () => withHeaders(bothAt('yesterday')),
  'no timestamp': () => withHeaders(bothAt('')),
  'a signature of ten minutes ago': () => signedDelivery(600),
  'a signature of ten minutes ahead': () => signedDelivery(-600),
  'a signature that is not ASCII': () => withHeaders(bothSigned('v1=\u00e9', 'v1,\u00e9')),
  'no signature': () => withHeaders(bothSigned('', '')),
  'the id of another event': () => withHeaders({ 'webhook-id': newId('evt') }),
  'no event id': () => withHeaders({ 'webhook-id': '' }),
  'another secret than its version': () => signedDelivery(0, { secret: SECOND_SECRET, secretVersion: 1 }),
  'an empty secret': () => signedDelivery(0, { secret: 'whsec_', secretVersion: 3 }),
  'an unknown secret version': () => withHeaders({ 'x-svc-secret-version': '3' }),
  'a secret version that is no number': () => withHeaders({ 'x-svc-secret-version': '__proto__' }),
  'no secret version': () => withHeaders({ 'x-svc-secret-version': '' }),
};

interface Receiver {
  readonly title: string;
  readonly hasNoSecret?: true;
  readonly language: LanguageId;
  /** False if the toolchain of the language is missing. */
  readonly isInstalled: boolean;
  readonly files: Readonly<Record<string, string>>;
  readonly build?: Command;
  readonly run: Command;
}

/** Replaces each text once, in this order. Throws if the page no longer prints one of them. */
function fill(code: string, ...changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((filled, [printed, own]) => {
    if (!filled.includes(printed)) throw new Error(`the page does not print ${printed}`);
    return filled.replace(printed, () => own);
  }, code);
}

const CODE = path.resolve(import.meta.dirname, '../../console/web/src/pages/receiver-code/code');

function codeOf(language: LanguageId) {
  const found = LANGUAGES.find(({ id }) => id === language);
  if (found === undefined) throw new Error(`the page has no code for ${language}`);
  const codeIn = (file: string | undefined) =>
    file === undefined ? '' : readFileSync(path.join(CODE, file), 'utf8');
  const { library, byHand, publicKeys, server, install } = found;
  const pieces = { library: codeIn(library), byHand: codeIn(byHand), publicKeys: codeIn(publicKeys) };
  return { ...pieces, server: codeIn(server), install };
}

const nodeCode = codeOf('node');
const pythonCode = codeOf('python');
const goCode = codeOf('go');
const javaCode = codeOf('java');
const python = await ensurePython(['standardwebhooks==1.1.0', 'flask==3.1.3', 'cryptography==50.0.2']);
const goModule = await ensureGoModule(['github.com/standard-webhooks/standard-webhooks/libraries/go@v0.0.1']);
const jars = await ensureJars(javaCode.install);

// In each language the store is a folder: an event is a directory in it, which cannot be created twice; its JSON in Node and Python.

const nodeReceiver = (title: string, receive: string): Receiver => ({
  ...{ title, language: 'node', isInstalled: true },
  files: {
    'receive.mjs': receive,
    'server.mjs': fill(
      nodeCode.server,
      ["throw new Error('not written yet');", 'return fs.existsSync(`stored/${eventId}`);'],
      [
        "throw new Error('not written yet');",
        'fs.mkdirSync(`stored/${eventId}`); fs.writeFileSync(`stored/${eventId}/event`, JSON.stringify(event));',
      ],
      ["import express from 'express';", "import fs from 'node:fs';\nimport express from 'express';"],
    ),
  },
  run: [process.execPath, 'server.mjs'],
});

const pythonReceiver = (title: string, receive: string): Receiver => ({
  ...{ title, language: 'python', isInstalled: python !== undefined },
  files: {
    'receive.py': receive,
    'server.py': fill(
      pythonCode.server,
      ['raise NotImplementedError', 'return os.path.exists(f"stored/{event_id}")'],
      [
        'raise NotImplementedError',
        'os.mkdir(f"stored/{event_id}"); json.dump(event, open(f"stored/{event_id}/event", "w"))',
      ],
      ['from flask import', 'import json, os\nfrom flask import'],
    ),
  },
  run: [python ?? '', '-m', 'flask', '--app', 'server', 'run', '--port', '8080'],
});

const RECEIVERS: readonly Receiver[] = [
  nodeReceiver('Node with the library', nodeCode.library),
  nodeReceiver('Node by hand', nodeCode.byHand),
  { ...nodeReceiver('Node without a secret', nodeCode.publicKeys), hasNoSecret: true },
  { ...pythonReceiver('Python without a secret', pythonCode.publicKeys), hasNoSecret: true },
  pythonReceiver('Python with the library', pythonCode.library),
  pythonReceiver('Python by hand', pythonCode.byHand),
  {
    ...{ title: 'Go', language: 'go', isInstalled: goModule !== undefined },
    files: {
      'main.go': fill(
        goCode.library,
        [
          'return false, errors.New("not written yet")',
          'if _, err := os.Stat("stored/" + eventID); err != nil { return false, ignoreAbsent(err) }; return true, nil',
        ],
        ['return errors.New("not written yet")', 'return os.Mkdir("stored/"+eventID, 0o755)'],
        [
          'func main() {',
          'func ignoreAbsent(err error) error { if errors.Is(err, os.ErrNotExist) { return nil }; return err }\n\nfunc main() {',
        ],
        ['":8080"', '"127.0.0.1:8080"'],
      ),
    },
    build: ['sh', '-c', `cp ${goModule}/go.mod ${goModule}/go.sum . && go build -o receiver .`],
    run: ['./receiver'],
  },
  {
    ...{ title: 'Java', language: 'java', isInstalled: jars !== undefined },
    files: {
      'Receiver.java': fill(
        javaCode.library,
        [
          'throw new UnsupportedOperationException("not written yet");',
          'return new java.io.File("stored", eventId).exists();',
        ],
        [
          'throw new UnsupportedOperationException("not written yet");',
          'if (!new java.io.File("stored", eventId).mkdir()) throw new IllegalStateException("stored twice");',
        ],
      ),
    },
    build: ['javac', '-cp', `${jars}/*`, 'Receiver.java'],
    run: ['java', '-cp', `.:${jars}/*`, 'Receiver'],
  },
];

/** Below the project, so that Node finds its packages. */
const parent = path.join(PROJECT_ROOT, '.stack');
mkdirSync(parent, { recursive: true });
const scratch = mkdtempSync(path.join(parent, 'receiver-code-'));

afterAll(async () => {
  try {
    await closeServer(keysServer);
  } finally {
    rmSync(scratch, { recursive: true });
  }
});

async function startReceiver(
  directory: string,
  port: number,
  { files, build, run: [command, ...args], hasNoSecret }: Receiver,
): Promise<LocalProcess> {
  const withPort = (text: string) => text.replace('8080', String(port));
  mkdirSync(path.join(directory, 'stored'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(directory, name), withPort(text));
  if (build !== undefined) await runProgram(build, { cwd: directory });
  return startLocalProgram({
    name: path.basename(directory),
    command,
    args: args.map(withPort),
    cwd: directory,
    env: {
      ...baseEnvironment(),
      ...(hasNoSecret === true
        ? { WEBHOOK_KEYS_URL: `http://127.0.0.1:${keysPort}/` }
        : { WEBHOOK_SECRET_1: SECRET, WEBHOOK_SECRET_2: SECOND_SECRET, WEBHOOK_SECRET_: '' }),
    },
    logFile: path.join(directory, 'receiver.log'),
    isUp: () => fetch(`http://127.0.0.1:${port}/`).then(() => true),
    startTimeoutMs: 120_000,
    stopSignal: 'SIGTERM',
    stopGraceMs: 5_000,
  });
}

describe.each(RECEIVERS)('the receiver code of the console in $title', (code) => {
  const { title, isInstalled, hasNoSecret } = code;
  const testIfInstalled = isInstalled ? test : test.skip;
  const directory = path.join(scratch, title.replaceAll(' ', '-'));
  let port = 0;
  let receiver: LocalProcess | undefined;

  beforeAll(async () => {
    port = await freePort();
    if (isInstalled) receiver = await startReceiver(directory, port, code);
  });

  afterAll(async () => {
    await receiver?.stop();
  });

  const deliver = async ({ headers, body }: Delivery): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', headers, body });
    await response.arrayBuffer();
    return response.status;
  };
  const stored = () => readdirSync(path.join(directory, 'stored'));

  testIfInstalled(
    `${title}: accepts a signed delivery and its repeat, of each secret, and stores the event once`,
    async () => {
      const second = signedDelivery(0, { secret: SECOND_SECRET, secretVersion: 2 });
      for (const delivery of [signedDelivery(), signedDelivery(200), second]) {
        expect([await deliver(delivery), await deliver(delivery)]).toEqual([204, 204]);
        expect(stored()).toContain(delivery.eventId);
        const event = path.join(directory, 'stored', delivery.eventId, 'event');
        if (!existsSync(event)) continue;
        const body: unknown = JSON.parse(new TextDecoder().decode(delivery.body));
        expect(JSON.parse(readFileSync(event, 'utf8'))).toEqual(body);
      }
    },
  );

  testIfInstalled(`${title}: asks for a retry of what it cannot store`, async () => {
    const delivery = signedDelivery();
    renameSync(path.join(directory, 'stored'), path.join(directory, 'away'));
    const failed = await deliver(delivery).catch(() => 'no response');
    renameSync(path.join(directory, 'away'), path.join(directory, 'stored'));
    expect(String(failed)).toMatch(/^5\d\d$|^no response$/);
    expect(await deliver(delivery)).toBe(204);
  });

  const isRefused = async (delivery: Delivery) => {
    const before = stored();
    expect(String(await deliver(delivery))).toMatch(/^4\d\d$/);
    expect(stored()).toEqual(before);
  };

  testIfInstalled(`${title}: refuses a new event with the id of a stored one with 4xx`, async () => {
    const first = signedDelivery();
    expect(await deliver(first)).toBe(204);
    await isRefused(withHeaders({ 'webhook-id': first.eventId }));
  });

  testIfInstalled.each(
    Object.entries(REFUSED).filter(([what]) => hasNoSecret !== true || !what.includes('secret')),
  )(`${title}: refuses a delivery with %s with 4xx and stores nothing`, (_what, tampered) =>
    isRefused(tampered()),
  );
});

test('every language has code that chooses the secret by its version', () => {
  expect(LANGUAGES.map(({ id }) => id)).toEqual(LANGUAGE_IDS);
  for (const { id, packageName, install } of LANGUAGES) {
    expect(codeOf(id).library).toContain('WEBHOOK_SECRET_');
    expect(codeOf(id).library).toMatch(/x.svc.secret.version/i);
    expect(install).toContain(packageName.split(':').at(-1));
  }
  expect(['go', 'cobol', undefined].map(languageNamed)).toEqual(['go', 'node', 'node']);
});

test('the page marks every language that no test runs as not tested', () => {
  const run = new Set(RECEIVERS.map(({ language }) => language));
  expect(LANGUAGES.filter(({ untested }) => untested === true).map(({ id }) => id)).toEqual(
    LANGUAGE_IDS.filter((id) => !run.has(id)),
  );
});
