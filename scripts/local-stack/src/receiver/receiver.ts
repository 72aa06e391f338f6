import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { closeServer, listen } from '@partner/kernel/process/listen';
import type { CertificateFiles } from './certificates.js';
import { type KnownSecrets, knownSecret } from './known-secrets.js';
import { openRequestLog, type ReceivedRequest } from './request-log.js';
import { type Verdict, verifyDelivery } from './verify-delivery.js';

const BODY_BYTES_AT_MOST = 5_000_000;

/** The paths that register a secret and report readiness. Only requests to a loopback name reach them. */
export const CONTROL_PATHS = { secrets: '/_control/secrets', health: '/_control/health' } as const;

/**
 * Starts the example of a partner's webhook endpoint, over HTTPS. It verifies in the specification's order over the raw bytes, de-duplicates
 * by event id, logs each request and only then responds. It returns 200, also for a repeated event (spec:
 * Acknowledgement 6), 401 if verification fails or the secret's version is unknown, and the failure that the path requests
 * (see {@link requestedFailure}). A path for which it has no secret at all is not verified.
 */
export async function serveReceiver(deps: {
  readonly certificate: Pick<CertificateFiles, 'certificateFile' | 'keyFile'>;
  /** The address at which it listens; absent: loopback. */
  readonly host?: string;
  readonly port: number;
  readonly variable: string;
  readonly logFile: string;
  readonly secrets: KnownSecrets;
  /** Called with each request once it is logged and the response is sent, or its client has gone. */
  readonly onReceived?: (request: ReceivedRequest) => void;
}): Promise<{ readonly port: number; close(): Promise<void> }> {
  const accepted = new Set<string>();
  const seen = new Map<string, number>();

  const log = await openRequestLog(deps.logFile, remember);

  function remember(request: ReceivedRequest): void {
    const event = eventOf(request);
    if (event === undefined || request.verified === false) return;
    seen.set(event, (seen.get(event) ?? 0) + 1);
    if (request.status < 300) accepted.add(event);
  }

  async function receive(request: IncomingMessage, path: string, body: Buffer): Promise<ReceivedRequest> {
    const headers = singleHeaders(request);
    const verdict = verdictOn(headers, path, body);
    const event = eventOf({ path, headers });
    const failure = requestedFailure(path, headers['x-svc-event']);
    const bodyEncoding = isUtf8(body) ? 'utf8' : 'base64';
    const isDue = event !== undefined && failure !== undefined && (seen.get(event) ?? 0) < failure.times;
    const line: ReceivedRequest = {
      receivedAt: new Date().toISOString(),
      path,
      headers,
      body: body.toString(bodyEncoding),
      bodyEncoding,
      verified: verdict?.verified ?? null,
      duplicate: event !== undefined && accepted.has(event),
      status:
        request.method !== 'POST' ? 405 : verdict?.verified === false ? 401 : isDue ? failure.status : 200,
      problem: verdict?.verified === false ? verdict.problem : null,
    };
    remember(line);
    await log.append(line);
    return line;
  }

  function verdictOn(
    headers: Readonly<Record<string, string>>,
    path: string,
    body: Buffer,
  ): Verdict | undefined {
    const candidates = deps.secrets.candidates(Number(headers['x-svc-secret-version']), path);
    const now = new Date();
    const verdicts = candidates?.map((secret) => verifyDelivery({ headers, body, secret, now }));
    if (verdicts?.length === 0) {
      return { verified: false, problem: 'x-svc-secret-version names a version that is not registered' };
    }
    return verdicts?.find(({ verified }) => verified) ?? verdicts?.[0];
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'https://receiver').pathname;
    const body = await readBody(request);
    if (body === undefined) {
      send(response, 413, { error: 'the body is too large' });
    } else if (isControlPath(path) && isForLoopback(request)) {
      control(request, response, path, body);
    } else {
      const received = await receive(request, path, body);
      await delay(requestedDelayMs(path));
      send(response, received.status, { received: received.status < 300 });
      await finished(response).catch(() => undefined);
      deps.onReceived?.(received);
    }
  }

  function control(request: IncomingMessage, response: ServerResponse, path: string, body: Buffer): void {
    if (path === CONTROL_PATHS.health) {
      send(response, 200, { up: true });
      return;
    }
    const added = request.method === 'POST' ? knownSecret.safeParse(parseJson(body)) : undefined;
    if (added?.success !== true) {
      send(response, 400, { error: 'POST {"version", "secret", "path"?, "subscriptionId"?}' });
      return;
    }
    deps.secrets.add(added.data);
    send(response, 200, { known: true });
  }

  const { certificateFile, keyFile } = deps.certificate;
  const server = createServer(
    { cert: readFileSync(certificateFile), key: readFileSync(keyFile) },
    (request, response) => {
      respond(request, response).catch((error: unknown) => {
        process.stderr.write(`receiver: ${String(error)}\n`);
        if (response.headersSent) response.destroy();
        else send(response, 500, { error: 'the receiver failed' });
      });
    },
  );
  try {
    const { host = '127.0.0.1', variable } = deps;
    const port = await listen(server, { host, port: deps.port, variable });
    return {
      port,
      async close() {
        server.closeAllConnections();
        await closeServer(server);
        await log.close();
      },
    };
  } catch (error) {
    await log.close();
    throw error;
  }
}

/** Identifies an event. The event id is in a header, so that no body is parsed before this. */
function eventOf(request: Pick<ReceivedRequest, 'path' | 'headers'>): string | undefined {
  const id = request.headers['webhook-id'];
  return id === undefined ? undefined : `${request.path} ${id}`;
}

function isControlPath(path: string): boolean {
  return path === CONTROL_PATHS.secrets || path === CONTROL_PATHS.health;
}

/** A delivery names the host of its subscription's URL, so no subscriber reaches the control paths. */
function isForLoopback(request: IncomingMessage): boolean {
  return /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(request.headers.host ?? '');
}

function singleHeaders(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
  );
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= BODY_BYTES_AT_MOST) chunks.push(chunk);
  });
  await new Promise<void>((resolve, reject) => {
    request.once('end', resolve);
    request.once('close', () => reject(new Error('the request was cut off')));
    request.once('error', reject);
  });
  return size > BODY_BYTES_AT_MOST ? undefined : Buffer.concat(chunks);
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, status: number, body: Readonly<Record<string, unknown>>): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
}

const TEST_EVENT = 'install.test';

/**
 * Reads `/fail/<status>/<times>`, and `/down/<status>` for an event that is not a test, with anything after it; undefined for every
 * other path. `times` is, for each event, the number of requests that fail before the next one is accepted.
 */
function requestedFailure(path: string, event: string | undefined) {
  const [, status, times] = /^\/fail\/([2-5]\d\d)\/(\d{1,6})(?:\/|$)/.exec(path) ?? [];
  if (status !== undefined) return { status: Number(status), times: Number(times) };
  const [, down] = /^\/down\/([2-5]\d\d)(?:\/|$)/.exec(path) ?? [];
  if (down === undefined || event === TEST_EVENT) return undefined;
  return { status: Number(down), times: Number.POSITIVE_INFINITY };
}

/** Reads `/slow/<milliseconds>`, with anything after it: the delay before each response; 0 for every other path. */
function requestedDelayMs(path: string): number {
  return Number(/^\/slow\/(\d{1,5})(?:\/|$)/.exec(path)?.[1] ?? 0);
}
