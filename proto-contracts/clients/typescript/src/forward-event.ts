import { createHmac, randomBytes } from 'node:crypto';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { components } from './gen/schema.js';

/** An event of the feed. Its body is that of its webhooks, byte for byte. */
export type FeedEvent = components['schemas']['FeedEvent'];

/** What became of a forwarded event: the status, or why it failed. */
export interface Forwarded {
  readonly isDelivered: boolean;
  readonly outcome: string;
  readonly durationMs: number;
}

/** As a webhook has. */
const TIMEOUT_MS = 10_000;
const MAX_REASON = 200;
/** A valid id that no webhook has. */
const NO_SUBSCRIPTION = `whk_${'0'.repeat(26)}`;
const ID_LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';

/** The headers that the service sends with an event, signed with a secret at a time in ms. The number is that of the event's company. */
function webhookHeaders(
  { sequence, headers, body }: FeedEvent,
  secret: string,
  now: number,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1_000));
  const id = headers['webhook-id'];
  const digest = (key: string | Buffer, prefix: string) =>
    createHmac('sha256', key).update(`${prefix}.`).update(body);
  const standardKey = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return {
    'content-type': 'application/json',
    'user-agent': 'partner-integration-service-webhooks/1.0',
    'x-svc-event': headers['x-svc-event'],
    'x-svc-subscription-id': NO_SUBSCRIPTION,
    'x-svc-number': String(sequence),
    'x-svc-delivery-id': `dlv_${Array.from(randomBytes(26), (byte) => ID_LETTERS[byte % 32]).join('')}`,
    'x-svc-timestamp': timestamp,
    'x-svc-secret-version': '1',
    'x-svc-signature': `v1=${digest(secret, timestamp).digest('hex')}`,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${digest(standardKey, `${id}.${timestamp}`).digest('base64')}`,
  };
}

/** POSTs an event as the service does: once, without following redirects, for at most 10 s. Never rejects. */
export async function forwardEvent(target: URL, event: FeedEvent, secret: string): Promise<Forwarded> {
  const start = performance.now();
  const done = (isDelivered: boolean, outcome: string): Forwarded => ({
    ...{ isDelivered, outcome },
    durationMs: Math.round(performance.now() - start),
  });
  try {
    const { status, text } = await post(target, event.body, webhookHeaders(event, secret, Date.now()));
    const isDelivered = status >= 200 && status <= 299;
    const why = status >= 300 && status <= 399 ? 'redirects are not followed' : readable(text);
    return done(isDelivered, isDelivered || why === '' ? String(status) : `${status}: ${why}`);
  } catch (error) {
    return done(false, failureOf(error, target));
  }
}

async function post(
  target: URL,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly text: string }> {
  const send = target.protocol === 'https:' ? requestHttps : requestHttp;
  const bytes = Buffer.from(body);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  return new Promise((resolve, reject) => {
    const request = send(target, {
      ...{ method: 'POST', agent: false, signal },
      headers: { ...headers, 'content-length': bytes.length },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        if (text.length < MAX_REASON) text += part;
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.end(bytes);
  });
}

function failureOf(error: unknown, { host }: URL): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  if (code === 'ECONNREFUSED') return `connection refused: no server listens at ${host}`;
  if (code === 'ABORT_ERR') return `no complete response within ${TIMEOUT_MS / 1_000} s`;
  if (code === 'ECONNRESET') return 'the connection was closed without a response';
  return readable(error instanceof Error ? error.message : String(error));
}

/** One line without characters that a terminal interprets. */
function readable(text: string): string {
  return text
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON);
}
