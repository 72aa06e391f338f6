import { request, type RequestOptions } from 'node:https';

/** Sends one request over a new connection and returns the status of the response. Rejects if none arrives in 10 s. */
export function httpsStatus(url: string, options: RequestOptions, body = ''): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: false, timeout: 10_000, ...options }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.once('timeout', () => sent.destroy(new Error(`${url} does not respond`)));
    sent.once('error', reject);
    sent.end(body);
  });
}
