import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

export const REFUSED_IPV4_RANGES = [
  '0.0.0.0/8', // "this host"; connects to the local machine
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared between a carrier's customers; also a cloud's metadata
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // a cloud's control plane on an otherwise public address
  '169.254.0.0/16', // link-local, with the metadata of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments, with a cloud's older metadata
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // relays from IPv6 to IPv4
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, with the broadcast address
] as const;

/** The only IPv6 range that is allocated for the public internet. */
export const PUBLIC_IPV6_RANGE = '2000::/3';

/** Ranges within {@link PUBLIC_IPV6_RANGE} that are not public, or that embed an arbitrary IPv4 address. */
export const REFUSED_IPV6_RANGES = [
  '2001::/23', // protocol assignments: Teredo, benchmarks, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '3fff::/20', // documentation
] as const;

const refusedIpv4 = REFUSED_IPV4_RANGES.map((range) => ipaddr.IPv4.parseCIDR(range));
const publicIpv6 = ipaddr.IPv6.parseCIDR(PUBLIC_IPV6_RANGE);
const refusedIpv6 = REFUSED_IPV6_RANGES.map((range) => ipaddr.IPv6.parseCIDR(range));

/**
 * Returns the canonical text of an address that webhooks may be sent to. Returns undefined for any other address, and
 * for text that is not a strict address (four decimal parts, or IPv6 without a zone). An IPv4-mapped IPv6 address is
 * checked, and returned, as its IPv4 address (spec: Subscription URL rules 2).
 */
export function publicAddress(text: string): string | undefined {
  // Strict notation is already canonical for IPv4.
  if (isIPv4(text)) return isPublic(ipaddr.IPv4.parse(text)) ? text : undefined;
  if (isIP(text) === 0 || text.includes('%') || isIpv4Compatible(text)) return undefined;
  const address = ipaddr.process(text);
  return isPublic(address) ? address.toString() : undefined;
}

/** Detects the IPv4-compatible form, which ipaddr.js would parse as a mapped address. */
function isIpv4Compatible(text: string): boolean {
  return text.startsWith('::') && isIPv4(text.slice(2));
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address.kind() === 'ipv4'
    ? !refusedIpv4.some((range) => address.match(range))
    : address.match(publicIpv6) && !refusedIpv6.some((range) => address.match(range));
}
