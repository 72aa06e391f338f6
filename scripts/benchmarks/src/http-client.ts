import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly apiKey: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly status: number;
}

export interface HttpResponse {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export type HttpClient = ReturnType<typeof createHttpClient>;

const TIMEOUT_MS = 30_000;

export function createHttpClient(baseUrl: string) {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(baseUrl);

  /** Throws if the response has another status than expected. */
  function send(call: HttpCall): Promise<HttpResponse> {
    const { method, path, body } = call;
    const headers = {
      'x-api-key': call.apiKey,
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
      ...call.headers,
    };
    return new Promise((resolve, reject) => {
      const sent = request(
        { agent, hostname, port, method, path, headers, timeout: TIMEOUT_MS },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.once('error', reject);
          response.once('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            if (response.statusCode === call.status) resolve({ headers: response.headers, text });
            else
              reject(
                new Error(`the response to ${method} ${path} was ${response.statusCode ?? '?'}: ${text}`),
              );
          });
        },
      );
      sent.once('timeout', () =>
        sent.destroy(new Error(`no response to ${method} ${path} within ${TIMEOUT_MS} ms`)),
      );
      sent.once('error', reject);
      sent.end(body);
    });
  }

  return {
    send,
    get: async (path: string, apiKey: string) =>
      (await send({ method: 'GET', path, apiKey, status: 200 })).text,
    close: () => agent.destroy(),
  };
}
