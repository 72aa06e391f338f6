import { createHash } from 'node:crypto';
import { isIP, isIPv4, SocketAddress } from 'node:net';

const UNKNOWN = 'unknown';

/**
 * Returns the address of a client behind this many trusted proxies, in the form of logs and limits. Each proxy appends the address of
 * its peer to `x-forwarded-for`, so the entry that counts is that many from the end; the client may have written those before it.
 *
 * An entry is read in every notation that proxies write: with a port, in brackets or quotes, with a zone, as IPv4-mapped IPv6. One
 * that says nothing (empty, `unknown`) leaves the address of the next proxy. Any other text that is not an address, such as an
 * identifier of RFC 7239, stands for one client: so clients that a proxy tells apart never share a limit.
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | undefined,
  trustedProxyHops: number,
): string {
  const entries = forwardedFor === undefined || trustedProxyHops === 0 ? [] : forwardedFor.split(',');
  for (const entry of entries.slice(-trustedProxyHops)) {
    const text = unquoted(entry.trim());
    if (text === '' || text.toLowerCase() === UNKNOWN) continue;
    return addressIn(text) ?? `${UNKNOWN}-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  }
  return addressIn(peer ?? '') ?? UNKNOWN;
}

function unquoted(text: string): string {
  return /^"(.*)"$/.exec(text)?.[1]?.trim() ?? text;
}

/** Returns the address in a text like `203.0.113.9:51234` or `[2001:db8::1]:443`, in its shortest form. */
function addressIn(text: string): string | undefined {
  const [, bracketed, host = ''] = /^(?:\[([^\]]*)\]|(.*?))(?::(?:\d{0,5}|_[\w.-]+))?$/.exec(text) ?? [];
  const candidates = bracketed === undefined ? [text, host] : [bracketed];
  const address = candidates.map((each) => each.replace(/%.*$/, '')).find((each) => isIP(each) !== 0);
  if (address === undefined || isIPv4(address)) return address;
  const shortest = new SocketAddress({ address, family: 'ipv6' }).address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(shortest)?.[1];
  return mapped ?? shortest;
}

/** Returns the network that one client controls: an IPv4 address, or the /64 network of an IPv6 address. */
export function clientNetwork(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  // A trailing IPv4 address fills two groups, all beyond the first 64 bits.
  const width = last.length + (last.at(-1)?.includes('.') === true ? 1 : 0);
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - width);
  const groups = [...first, ...Array.from({ length: zeros }, () => '0'), ...last];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
