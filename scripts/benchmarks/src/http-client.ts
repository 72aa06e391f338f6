import { Agent, request } from 'node:http';

/** Sends requests over connections that stay open. */
export interface HttpClient {
  /** Gets a path as JSON text. Throws when the answer's status is not 200. */
  get(path: string, apiKey: string): Promise<string>;
  close(): void;
}

const TIMEOUT_MS = 30_000;

/** Makes a client of one address. */
export function createHttpClient(baseUrl: string): HttpClient {
  const agent = new Agent({ keepAlive: true });
  return {
    get: (path, apiKey) =>
      new Promise((resolve, reject) => {
        const sent = request(
          new URL(path, baseUrl),
          { agent, headers: { 'x-api-key': apiKey }, timeout: TIMEOUT_MS },
          (answer) => {
            const chunks: Buffer[] = [];
            answer.on('data', (chunk: Buffer) => chunks.push(chunk));
            answer.once('error', reject);
            answer.once('end', () => {
              const text = Buffer.concat(chunks).toString('utf8');
              if (answer.statusCode === 200) resolve(text);
              else reject(new Error(`GET ${path} was answered with ${answer.statusCode ?? '?'}: ${text}`));
            });
          },
        );
        sent.once('timeout', () =>
          sent.destroy(new Error(`GET ${path} was not answered in ${TIMEOUT_MS} ms`)),
        );
        sent.once('error', reject);
        sent.end();
      }),
    close: () => agent.destroy(),
  };
}
