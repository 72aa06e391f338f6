/** Whether two URLs have the same host and port. Values of custom headers are for one host only. */
export function isSameHost(one: string, other: string): boolean {
  return new URL(one).host === new URL(other).host;
}
