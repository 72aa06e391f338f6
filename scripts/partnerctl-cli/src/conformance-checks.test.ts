import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { closeServer, listen } from '@partner/kernel/listen';
import { webhookEnvelope } from '@partner/proto-contracts/events/webhook-events';
import { openKnownSecrets } from '@partner/local-stack/receiver/known-secrets';
import { createReceiver } from '@partner/local-stack/receiver/receiver';
import { verifyDelivery } from '@partner/local-stack/receiver/verify-delivery';
import { collectGarbage } from '@partner/local-stack/testing/collect-garbage';
import { runConformance } from './conformance-checks.js';

const SECRETS: Readonly<Record<string, string>> = {
  '1': `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
  '2': `whsec_${Buffer.alloc(32, 2).toString('base64')}`,
};

let server: Server | undefined;
let directory = '';

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'partner-conformance-'));
});
afterEach(async () => {
  server?.closeAllConnections();
  if (server !== undefined) await closeServer(server);
  rmSync(directory, { recursive: true, force: true });
});

async function failedChecks(listener: RequestListener, timeoutMs = 5_000): Promise<readonly string[]> {
  server = createServer(listener);
  const port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'test' });
  const results = await runConformance({
    url: new URL(`http://127.0.0.1:${port}/hooks`),
    secret: SECRETS['1'] ?? '',
    nextSecret: SECRETS['2'],
    ca: undefined,
    clock: () => new Date(),
    timeoutMs,
  });
  expect(results).toHaveLength(13);
  return results.filter(({ verdict }) => verdict !== 'passed').map(({ check }) => check);
}

interface Seen {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly isGood: boolean;
}

/** A receiver with exactly one defect. */
function receiver(answer: (seen: Seen) => number | Promise<number>): RequestListener {
  return (request, response) => {
    void look(request)
      .then(answer)
      .then((status) => response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end());
  };
}

async function look(request: IncomingMessage): Promise<Seen> {
  const body = await buffer(request);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  const secret = SECRETS[headers['x-svc-secret-version'] ?? ''] ?? '';
  return { body, headers, isGood: isVerified({ headers, body, secret }) };
}

function isVerified(delivery: { headers: Record<string, string>; body: Buffer; secret: string; now?: Date }) {
  return verifyDelivery({ now: new Date(), ...delivery }).verified;
}

const status = (isTaken: boolean) => (isTaken ? 204 : 401);

describe('the conformance of a receiver', () => {
  test('ends once it is interrupted, even without responses', async () => {
    const interruption = new AbortController();
    let requests = 0;
    server = createServer(() => {
      requests += 1;
      interruption.abort();
    });
    const port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'test' });
    const tried = runConformance({
      url: new URL(`http://127.0.0.1:${port}/hooks`),
      secret: SECRETS['1'] ?? '',
      nextSecret: undefined,
      ca: undefined,
      clock: () => new Date(),
      timeoutMs: 60_000,
      signal: interruption.signal,
    });
    await expect(tried).rejects.toThrow('aborted');
    expect(requests).toBe(1);
  });

  test('is fulfilled by the example receiver', async () => {
    const secrets = openKnownSecrets(path.join(directory, 'secrets.json'));
    for (const [version, secret] of Object.entries(SECRETS))
      secrets.add({ version: Number(version), secret });
    const example = await createReceiver({
      logFile: path.join(directory, 'requests.jsonl'),
      secrets,
      clock: () => new Date(),
    });
    await expect(failedChecks(example.handle)).resolves.toEqual([]);
    await example.close();
  });

  test('is fulfilled by a minimal receiver', async () => {
    await expect(failedChecks(receiver(({ isGood }) => status(isGood)))).resolves.toEqual([]);
  });

  test('is missed by one that verifies nothing', async () => {
    await expect(failedChecks(receiver(() => 200))).resolves.toEqual([
      'a body that was tampered with',
      'a signature with a wrong secret',
      'no signature',
      'a timestamp that is too old',
      'a timestamp in the future',
    ]);
  });

  test('is missed by one that signs what it has parsed instead of the raw bytes', async () => {
    const forgetsBody = receiver(({ headers, body, isGood }) =>
      status(isGood || (headers['x-svc-signature'] !== undefined && body.includes('COMPLETE'))),
    );
    await expect(failedChecks(forgetsBody)).resolves.toEqual(['a body that was tampered with']);
  });

  test('is missed by one that ignores the timestamp', async () => {
    const timeless = receiver(({ headers, body }) => {
      const now = new Date(Number(headers['x-svc-timestamp']) * 1_000);
      const secret = SECRETS[headers['x-svc-secret-version'] ?? ''] ?? '';
      // The stock verifier uses the real time, so only the other signature is verified here.
      return status(!(verdictAt({ headers, body, secret, now }) ?? '').startsWith('x-svc'));
    });
    await expect(failedChecks(timeless)).resolves.toEqual([
      'a timestamp that is too old',
      'a timestamp in the future',
    ]);
  });

  test('is missed by one that only refuses old timestamps', async () => {
    const pastOnly = receiver(({ headers, body }) => {
      const timestamp = Number(headers['x-svc-timestamp']) * 1_000;
      const now = new Date(Math.max(Date.now(), timestamp));
      const secret = SECRETS[headers['x-svc-secret-version'] ?? ''] ?? '';
      const isOld = Date.now() - timestamp > 300_000;
      return status(!isOld && !(verdictAt({ headers, body, secret, now }) ?? '').startsWith('x-svc'));
    });
    await expect(failedChecks(pastOnly)).resolves.toEqual(['a timestamp in the future']);
  });

  test('is missed by one that refuses a repeated event', async () => {
    const ids = new Set<string>();
    const once = receiver(({ headers, isGood }) => {
      const id = headers['webhook-id'] ?? '';
      if (!isGood) return 401;
      if (ids.has(id)) return 409;
      ids.add(id);
      return 200;
    });
    await expect(failedChecks(once)).resolves.toEqual(['the same event again, with another delivery id']);
  });

  test('is missed by one that refuses older versions', async () => {
    let newest = 0;
    const inOrder = receiver(({ body, isGood }) => {
      if (!isGood) return 401;
      const { version } = webhookEnvelope.shape.resource.parse(resourceOf(body));
      const isOlder = newest >= 3 && version < newest && version >= 3;
      newest = Math.max(newest, version);
      return isOlder ? 409 : 200;
    });
    await expect(failedChecks(inOrder)).resolves.toEqual(['versions out of order']);
  });

  test('is missed by one that refuses unknown fields', async () => {
    const strict = receiver(({ body, isGood }) => status(isGood && !body.includes('ofTomorrow')));
    await expect(failedChecks(strict)).resolves.toEqual(['fields that it does not know']);
  });

  test('is missed by one that only accepts small bodies', async () => {
    const small = receiver(({ body, isGood }) => (!isGood ? 401 : body.byteLength > 100_000 ? 413 : 200));
    await expect(failedChecks(small)).resolves.toEqual(['a large body']);
  });

  test('is missed by one with only one secret', async () => {
    const single = receiver(({ headers, isGood }) =>
      status(isGood && headers['x-svc-secret-version'] === '1'),
    );
    await expect(failedChecks(single)).resolves.toEqual([
      'a secret of the next version, and the present one still',
    ]);
  });

  test('is missed by one that redirects', async () => {
    const elsewhere = receiver(({ isGood }) => (isGood ? 302 : 401));
    const failed = await failedChecks(elsewhere);
    expect(failed).toContain('no redirect');
    expect(failed).toContain('a valid delivery');
    expect(failed).not.toContain('responds in time');
  });

  test('is missed by one that does not respond in time', async () => {
    const slow = receiver(({ headers, isGood }) =>
      headers['x-svc-secret-version'] === '2' ? new Promise<number>(() => undefined) : status(isGood),
    );
    await expect(failedChecks(slow, 3_000)).resolves.toEqual([
      'a secret of the next version, and the present one still',
      'responds in time',
    ]);
  });

  test('is missed by one that never responds, even after a garbage collection', async () => {
    const failed = await failedChecks(() => collectGarbage(), 100);
    expect(failed).toHaveLength(13);
  });
});

function verdictAt(delivery: { headers: Record<string, string>; body: Buffer; secret: string; now: Date }) {
  const verdict = verifyDelivery(delivery);
  return verdict.verified ? undefined : verdict.problem;
}

function resourceOf(body: Buffer): unknown {
  const envelope: unknown = JSON.parse(body.toString('utf8'));
  return typeof envelope === 'object' && envelope !== null && 'resource' in envelope
    ? envelope.resource
    : undefined;
}
