import { createOpenApiDocument } from '@partner/proto-contracts/public-api/openapi';
import { createAnswerCheck } from '@partner/test-kit/answer-check';

const check = createAnswerCheck(
  createOpenApiDocument({ serverUrl: 'https://api.partner.example', sessionCookie: '__Host-svc_session' }),
);

/** An answer is not what the API description says. */
class UndescribedAnswerError extends Error {
  override readonly name = 'UndescribedAnswerError';
}

/** An answer of the service. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined when it is empty. */
  readonly json: unknown;
}

/** What a test sends. */
export interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * Sends one request and reads the whole answer. Rejects when no answer comes, and when it is not what the API description says
 * that the operation answers: status, headers, every field of the body, the code of an error.
 */
export async function call(baseUrl: string, path: string, options: Call = {}): Promise<Answer> {
  const response = await fetch(new URL(path, baseUrl), {
    method: options.method ?? 'GET',
    redirect: 'manual',
    headers: {
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  const faults = check({
    method: options.method ?? 'GET',
    path,
    status: response.status,
    header: (name) => response.headers.get(name) ?? undefined,
    text,
  });
  if (faults.length > 0) throw new UndescribedAnswerError(faults.join('\n'));
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  const json: unknown = isJson && text !== '' ? JSON.parse(text) : undefined;
  return { status: response.status, headers: response.headers, text, json };
}

/**
 * Sends a write until it is answered for certain: repeats it, with its idempotency key, while the connection breaks or the
 * answer is 5xx, 429 or `idempotency_in_progress`, as a partner's client would. Each such try is told to `onUncertain`.
 */
export async function callUntilAnswered(
  baseUrl: string,
  path: string,
  options: Call,
  onUncertain: (what: string) => void = () => undefined,
): Promise<Answer> {
  const timeoutMs = 180_000;
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    let last: string;
    try {
      const answer = await call(baseUrl, path, options);
      if (!mustRepeat(answer)) return answer;
      last = `${answer.status} ${answer.text}`;
    } catch (error) {
      if (error instanceof UndescribedAnswerError) throw error;
      last = error instanceof Error ? error.message : String(error);
    }
    onUncertain(last);
    if (Date.now() > deadline)
      throw new Error(`no certain answer within ${timeoutMs / 1000} s; the last: ${last}`);
    // What a client owes the service between two tries, not a wait for a state.
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function mustRepeat(answer: Answer): boolean {
  return answer.status >= 500 || answer.status === 429 || answer.text.includes('"idempotency_in_progress"');
}
