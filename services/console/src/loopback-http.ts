/**
 * Tells whether a base address is plain HTTP on this machine itself, the only place where a session cookie may do without
 * `Secure`.
 */
export function isLoopbackHttp(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const { protocol, hostname } = new URL(baseUrl);
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
  return protocol === 'http:' && isLoopback;
}
