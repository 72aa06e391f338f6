import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from '@jest/globals';
import { closeServer, listen } from '@partner/kernel/process/listen';
import { webhookEnvelope } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { verifyDelivery } from '@partner/local-stack/receiver/verify-delivery';
import { z } from 'zod';
import { runConformance } from './conformance-checks.js';

const SECRETS: Readonly<Record<string, string>> = {
  '1': `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
  '2': `whsec_${Buffer.alloc(32, 2).toString('base64')}`,
};

let server: Server | undefined;

afterEach(async () => {
  server?.closeAllConnections();
  if (server !== undefined) await closeServer(server);
});

async function failedChecks(
  listener: RequestListener,
  timeoutMs = 60_000,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  server = createServer(listener);
  const port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'test' });
  const results = await runConformance({
    url: new URL(`http://127.0.0.1:${port}/hooks`),
    secret: SECRETS['1'] ?? '',
    secretVersion: 1,
    nextSecretVersion: 2,
    nextSecret: SECRETS['2'],
    ca: undefined,
    timeoutMs,
    ...(signal !== undefined && { signal }),
  });
  expect(results).toHaveLength(14);
  return results.filter(({ verdict }) => verdict !== 'passed').map(({ check }) => check);
}

interface Seen {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly isGood: boolean;
}

/** A receiver with exactly one defect. */
function receiver(respond: (seen: Seen) => number | Promise<number>): RequestListener {
  return (request, response) => {
    void inspect(request)
      .then(respond)
      .then((status) => response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end());
  };
}

async function inspect(request: IncomingMessage): Promise<Seen> {
  const body = await buffer(request);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  const secret = SECRETS[headers['x-svc-secret-version'] ?? ''] ?? '';
  const { verified } = verifyDelivery({ headers, body, secret, now: new Date() });
  return { body, headers, isGood: verified };
}

const envelope = z.object({ resource: webhookEnvelope.shape.resource });

const status = (isTaken: boolean) => (isTaken ? 204 : 401);

describe('the failed checks', () => {
  test('of an interrupted run are not reported, even without responses', async () => {
    const interruption = new AbortController();
    let requests = 0;
    const count: RequestListener = () => {
      requests += 1;
      interruption.abort();
    };
    const tried = failedChecks(count, 60_000, interruption.signal);
    await expect(tried).rejects.toThrow('aborted');
    expect(requests).toBe(1);
  });

  const TIMESTAMPS = ['a timestamp that is too old', 'a timestamp in the future'];
  const ROTATION = 'a secret of the next version, and still the current one';

  const seen = new Set<string | undefined>();
  let newest = 0;

  test.each<[string, (seen: Seen) => number | Promise<number>, readonly string[]]>([
    ['verifies correctly', ({ isGood }) => status(isGood), []],
    [
      'verifies nothing',
      () => 200,
      ['a body that was tampered with', 'a signature with a wrong secret', 'no signature', ...TIMESTAMPS],
    ],
    [
      'signs what it has parsed instead of the raw bytes',
      ({ headers, body, isGood }) =>
        status(isGood || (headers['x-svc-signature'] !== undefined && body.includes('COMPLETE'))),
      ['a body that was tampered with'],
    ],
    ['ignores the timestamp', (seen) => status(isSigned(seen, timeOf(seen))), TIMESTAMPS],
    [
      'only refuses old timestamps',
      (seen) => status(isSigned(seen, Math.max(Date.now(), timeOf(seen)))),
      ['a timestamp in the future'],
    ],
    [
      'has only one secret',
      ({ headers, isGood }) => status(isGood && headers['x-svc-secret-version'] === '1'),
      [ROTATION],
    ],
    [
      'refuses a repeated number',
      ({ headers, isGood }) => {
        const isRepeat = isGood && seen.has(headers['x-svc-number']);
        seen.add(headers['x-svc-number']);
        return isRepeat ? 409 : status(isGood);
      },
      ['the same event again, with another delivery id and the same number'],
    ],
    [
      'refuses a number that is not the next one',
      ({ headers, isGood }) => status(isGood && Number(headers['x-svc-number']) < 100),
      ['a number that jumps, as after a restore'],
    ],
    [
      'refuses older versions',
      ({ body, isGood }) => {
        if (!isGood) return 401;
        const { version } = envelope.parse(JSON.parse(body.toString('utf8'))).resource;
        const isOlder = version >= 3 && version < newest;
        newest = Math.max(newest, version);
        return isOlder ? 409 : 200;
      },
      ['versions out of order'],
    ],
    [
      'does not respond to the next secret in time',
      ({ headers, isGood }) =>
        headers['x-svc-secret-version'] === '2' ? new Promise(() => undefined) : status(isGood),
      [ROTATION, 'responds in time'],
    ],
  ])('of one that %s', async (_what, respond, failed) => {
    await expect(failedChecks(receiver(respond), 3_000)).resolves.toEqual(failed);
  });

  test('of one that redirects', async () => {
    const failed = await failedChecks(receiver(({ isGood }) => (isGood ? 302 : 401)));
    expect(failed).toEqual(expect.arrayContaining(['no redirect', 'a valid delivery']));
    expect(failed).not.toContain('responds in time');
  });

  test('of one that never responds', async () => {
    const failed = await failedChecks(() => undefined, 100);
    expect(failed).toHaveLength(14);
  });
});

const timeOf = ({ headers }: Seen) => Number(headers['x-svc-timestamp']) * 1_000;

/** The stock verifier uses the real time, so only the other signature is verified here. */
function isSigned({ headers, body }: Seen, at: number): boolean {
  const secret = SECRETS[headers['x-svc-secret-version'] ?? ''] ?? '';
  const verdict = verifyDelivery({ headers, body, secret, now: new Date(at) });
  return verdict.verified || !verdict.problem.startsWith('x-svc');
}
