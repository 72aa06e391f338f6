import { LIMITS } from '@partner/proto-contracts/api/limits';
import { CURRENT_API_VERSION, CURRENT_SCHEMA_VERSION } from '@partner/proto-contracts/api/versions';
import { newId } from '@partner/kernel/process/ids';
import { httpStatus } from '@partner/local-stack/receiver/http-status';
import { withTimeLimit } from '@partner/local-stack/time-limit';
import type { Json } from './output.js';
import { type SignedDelivery, signDelivery } from '@partner/local-stack/receiver/sign-delivery';

export type CheckResult = {
  readonly check: string;
  readonly verdict: 'passed' | 'failed' | 'skipped';
  readonly expected: string;
  readonly got: string;
};

export interface TriedReceiver {
  readonly url: URL;
  readonly secret: string;
  readonly secretVersion: number;
  /** Secret of the next version, for the rotation check; undefined: the check is skipped. */
  readonly nextSecret: string | undefined;
  readonly nextSecretVersion: number;
  readonly ca: string | undefined;
  /** Timeout of a response; spec: 10 s. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

interface Outcome {
  /** Undefined: no response. */
  readonly status: number | undefined;
  readonly tookMs: number;
  readonly problem: string;
}

/** What differs from a valid delivery of a new event. */
interface Delivered extends Pick<TriedReceiver, 'secret' | 'secretVersion'> {
  /** When it is signed. */
  readonly at: Date;
  readonly eventId: string;
  readonly number: number;
  readonly version: number;
  /** Further fields of the envelope and of its data. */
  readonly more: Readonly<Record<string, Json>>;
}

/** With long notes and lists an event has some kilobytes. */
const LARGE_BODY_BYTES = 256 * 1_024;
const WELL_OFF_MS = (LIMITS.webhookTimestampToleranceSeconds + 60) * 1_000;
/** Numbers continue at the time of a restore (decision RESTORE-1). */
const AFTER_RESTORE = 1_795_694_400_000_001;
const WRONG_SECRET = `whsec_${Buffer.alloc(32, 0x5a).toString('base64')}`;

const TAKEN = { words: '2xx', holds: ({ status = 0 }: Outcome) => status >= 200 && status < 300 } as const;
const REFUSED = {
  words: '4xx: it must not be accepted',
  holds: ({ status = 0 }: Outcome) => status >= 400 && status < 500,
} as const;
const NO_REDIRECT = {
  words: 'no redirect: it would count as a failure',
  holds: ({ status = 0 }: Outcome) => status > 0 && (status < 300 || status >= 400),
} as const;

type Expectation = typeof TAKEN | typeof REFUSED | typeof NO_REDIRECT;

/**
 * Tests a receiver with realistic deliveries and with ones that it must refuse (spec: Receiver verification order,
 * Acknowledgement). Reports each check as it ends. Rejects only if the signal aborts it, never because of the receiver.
 */
export async function runConformance(
  tried: TriedReceiver,
  tell: (result: CheckResult) => void = () => undefined,
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  const outcomes: Outcome[] = [];
  const jobId = newId('job');
  /** Numbers by event: each event has the next one, which its retries repeat. */
  const numbers = new Map<string, number>();

  function note(result: CheckResult): void {
    results.push(result);
    tell(result);
  }
  async function send(delivery: SignedDelivery): Promise<Outcome> {
    const outcome = await post(tried, delivery);
    tried.signal?.throwIfAborted();
    outcomes.push(outcome);
    return outcome;
  }
  async function check(
    name: string,
    expected: Expectation,
    deliveries: readonly SignedDelivery[],
  ): Promise<void> {
    const got: Outcome[] = [];
    for (const delivery of deliveries) got.push(await send(delivery));
    note({
      check: name,
      verdict: got.every((outcome) => expected.holds(outcome)) ? 'passed' : 'failed',
      expected:
        deliveries.length === 1 ? expected.words : `${expected.words} for each of ${deliveries.length}`,
      got: got.map(words).join(', '),
    });
  }
  function deliver({
    at = new Date(),
    eventId = newId('evt'),
    number = numbers.get(eventId) ?? numbers.size + 1,
    secret = tried.secret,
    secretVersion = tried.secretVersion,
    version = 2,
    more = {},
  }: Partial<Delivered> = {}): SignedDelivery {
    const occurredAt = new Date().toISOString();
    const envelope = {
      id: eventId,
      event: 'install.status_changed',
      schemaVersion: CURRENT_SCHEMA_VERSION,
      apiVersion: CURRENT_API_VERSION,
      occurredAt,
      resource: { type: 'install_job', id: jobId, version },
      data: {
        jobId,
        previousStatus: 'ASSIGNED',
        status: 'ACKNOWLEDGED',
        occurredAt,
        note: null,
        blockerCode: null,
        ...more,
      },
      ...more,
    };
    numbers.set(eventId, number);
    const body = Buffer.from(JSON.stringify(envelope));
    const signed = signDelivery({ secret, secretVersion, event: envelope.event, eventId, at, body });
    return { ...signed, headers: { ...signed.headers, 'x-svc-number': String(number) } };
  }
  const away = (milliseconds: number) => new Date(Date.now() + milliseconds);

  const valid = deliver();
  await check('a valid delivery', TAKEN, [valid]);
  await check('no redirect', NO_REDIRECT, [deliver()]);
  const { headers, body } = deliver();
  const tampered = Buffer.from(body.toString('utf8').replace('ACKNOWLEDGED', 'COMPLETE'));
  await check('a body that was tampered with', REFUSED, [{ headers, body: tampered }]);
  await check('a signature with a wrong secret', REFUSED, [deliver({ secret: WRONG_SECRET })]);
  await check('no signature', REFUSED, [
    {
      headers: Object.fromEntries(
        Object.entries(deliver().headers).filter(([name]) => !name.endsWith('signature')),
      ),
      body,
    },
  ]);
  await check('a timestamp that is too old', REFUSED, [deliver({ at: away(-WELL_OFF_MS) })]);
  await check('a timestamp in the future', REFUSED, [deliver({ at: away(WELL_OFF_MS) })]);
  const first = newId('evt');
  await check('the same event again, with another delivery id and the same number', TAKEN, [
    deliver({ eventId: first }),
    deliver({ eventId: first }),
  ]);
  await check('versions out of order', TAKEN, [deliver({ version: 4 }), deliver({ version: 3 })]);
  await check('unknown fields', TAKEN, [deliver({ more: { ofTomorrow: { list: [1, 'two'] } } })]);
  await check('a large body', TAKEN, [deliver({ more: { padding: 'x'.repeat(LARGE_BODY_BYTES / 2) } })]);
  const rotation = 'a secret of the next version, and still the current one';
  if (tried.nextSecret === undefined) {
    note({ check: rotation, verdict: 'skipped', expected: TAKEN.words, got: 'no next secret was given' });
  } else {
    const { nextSecret: secret, nextSecretVersion: secretVersion } = tried;
    await check(rotation, TAKEN, [deliver({ secret, secretVersion }), deliver()]);
  }
  await check('a number that jumps, as after a restore', TAKEN, [deliver({ number: AFTER_RESTORE })]);
  const slowest = Math.max(...outcomes.map(({ tookMs }) => tookMs));
  note({
    check: 'responds in time',
    verdict: outcomes.every(({ status }) => status !== undefined) ? 'passed' : 'failed',
    expected: `a whole response within ${tried.timeoutMs / 1_000} s`,
    got: `the slowest of ${outcomes.length} took ${Math.round(slowest)} ms`,
  });
  return results;
}

function words({ status, problem }: Outcome): string {
  return status === undefined ? problem : String(status);
}

/** Posts a delivery. A missing, late or incomplete response is a failure with its own text. */
async function post(tried: TriedReceiver, { headers, body }: SignedDelivery): Promise<Outcome> {
  const startedAt = performance.now();
  const { url, ca, timeoutMs, signal } = tried;
  const named = { 'user-agent': 'partnerctl-conformance/1.0', ...headers };
  const options = { method: 'POST', headers: named, timeout: 0, ...(ca !== undefined && { ca }) };
  const outcome = await withTimeLimit({ milliseconds: timeoutMs, signal }, (end) =>
    httpStatus(url.href, { ...options, signal: end }, body),
  ).then(
    (status) => ({ status, problem: '' }),
    (error: unknown) => ({ status: undefined, problem: problemOf(error, timeoutMs) }),
  );
  return { ...outcome, tookMs: performance.now() - startedAt };
}

function problemOf(error: unknown, timeoutMs: number): string {
  const { name, message, code }: NodeJS.ErrnoException = error instanceof Error ? error : new Error();
  if (name === 'TimeoutError' || name === 'AbortError')
    return `no whole response within ${timeoutMs / 1_000} s`;
  return `no response: ${message === '' ? (code ?? '') : message}`;
}
