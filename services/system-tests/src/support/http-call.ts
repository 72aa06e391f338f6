import { createOpenApiDocument } from '@partner/proto-contracts/openapi/openapi';
import { createResponseCheck } from '@partner/test-kit/response-check';
import { eventually } from '@partner/test-kit/eventually';
import { type HttpResponse, type Call, sendCall } from '@partner/test-kit/http-call';

const check = createResponseCheck(
  createOpenApiDocument({ serverUrl: 'https://api.partner.example', sessionCookie: '__Host-svc_session' }),
);

/** A response is not what the API description says. */
export class UndescribedResponseError extends Error {
  override readonly name = 'UndescribedResponseError';
}

/**
 * Sends one request and reads the whole response. Rejects if none arrives, and if it is not what the API description says of
 * the operation: status, headers, every field of the body, the code of an error.
 */
export async function call(baseUrl: string, path: string, options: Call = {}): Promise<HttpResponse> {
  const response = await sendCall(baseUrl, path, options);
  const violations = check({
    method: options.method ?? 'GET',
    path,
    status: response.status,
    header: (name) => response.headers.get(name) ?? undefined,
    text: response.text,
  });
  if (violations.length > 0) throw new UndescribedResponseError(violations.join('\n'));
  return response;
}

/** Resolves to the response if it has the status. Rejects with its text otherwise. */
export async function expectStatus(
  status: number,
  sent: HttpResponse | Promise<HttpResponse>,
): Promise<HttpResponse> {
  const response = await sent;
  if (response.status !== status) throw new Error(`not ${status}: ${response.status} ${response.text}`);
  return response;
}

/**
 * Sends a write until its response is certain: repeats it, with its idempotency key, while the connection breaks or the
 * response is 5xx, 429 or `idempotency_in_progress`, as a partner's client would.
 */
export async function callUntilResponse(baseUrl: string, path: string, options: Call): Promise<HttpResponse> {
  let last = '';
  return eventually(
    () => `a definite response; the last: ${last}`,
    async () => {
      try {
        const response = await call(baseUrl, path, options);
        if (!mustRepeat(response)) return response;
        last = `${response.status} ${response.text}`;
      } catch (error) {
        if (error instanceof UndescribedResponseError) throw error;
        last = error instanceof Error ? error.message : String(error);
      }
      return undefined;
    },
    { timeoutMs: 240_000, everyMs: 100 },
  );
}

function mustRepeat(response: HttpResponse): boolean {
  return (
    response.status >= 500 || response.status === 429 || response.text.includes('"idempotency_in_progress"')
  );
}
