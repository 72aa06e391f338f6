const TIMEOUT_MS = 60_000;

export interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, with its content type. */
  readonly body?: unknown;
  /** Sent unchanged, without a content type; ignored if {@link Call.body} is set. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
  /** Replaces the time limit of 60 s. */
  readonly signal?: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, if it has the content type of JSON and is not empty. Reading it throws if the body is malformed. */
  readonly json: unknown;
}

/**
 * Sends one request without following redirects and reads the whole response, of a stream of events only the head. Rejects
 * if none arrives.
 */
export async function sendCall(baseUrl: string, path: string, call: Call = {}): Promise<HttpResponse> {
  const { method = 'GET', headers, body, bytes, signal = AbortSignal.timeout(TIMEOUT_MS) } = call;
  const content = body === undefined ? bytes : JSON.stringify(body);
  const response = await fetch(new URL(path, baseUrl), {
    method,
    redirect: 'manual',
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(content === undefined ? {} : { body: content }),
    signal,
  });
  const contentType = response.headers.get('content-type') ?? '';
  const isStream = contentType.startsWith('text/event-stream');
  if (isStream) await response.body?.cancel();
  const text = isStream ? '' : await response.text();
  const isJson = text !== '' && contentType.includes('json');
  return {
    status: response.status,
    headers: response.headers,
    text,
    get json() {
      const json: unknown = isJson ? JSON.parse(text) : undefined;
      return json;
    },
  };
}
