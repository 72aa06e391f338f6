import { isLoopback } from '@partner/kernel/process/production-settings';

/**
 * Returns whether a base address is plain HTTP on this machine, the only place where a session cookie may lack
 * `Secure`.
 */
export function isLoopbackHttp(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && isLoopback(hostname);
}
