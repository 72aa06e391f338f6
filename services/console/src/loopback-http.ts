/**
 * Returns whether a base address is plain HTTP on this machine, the only place where a session cookie may lack
 * `Secure`.
 */
export function isLoopbackHttp(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const { protocol, hostname } = new URL(baseUrl);
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
  return protocol === 'http:' && isLoopback;
}
