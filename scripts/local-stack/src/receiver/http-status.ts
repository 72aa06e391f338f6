import { request as requestHttp } from 'node:http';
import { request as requestHttps, type RequestOptions } from 'node:https';

/**
 * Sends one request over a new connection and returns the status, once the whole response has arrived. Follows no redirect. Rejects
 * if nothing arrives in 60 s.
 */
export function httpStatus(
  url: string,
  options: RequestOptions,
  body: string | Buffer = '',
): Promise<number> {
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: false, timeout: 60_000, ...options }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
      response.once('error', reject);
    });
    sent.once('timeout', () => sent.destroy(new Error(`${url} does not respond`)));
    sent.once('error', reject);
    sent.end(body);
  });
}
