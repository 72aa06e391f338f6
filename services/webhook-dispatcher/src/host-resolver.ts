import { Resolver } from 'node:dns/promises';
import { within } from '@partner/kernel/process/within';

/**
 * Resolves a host name without a cache to all its A and AAAA addresses, in the servers' order, IPv4 first. Resolves to
 * an empty list if the name has none. Throws if the servers failed and no address is known.
 */
export type HostResolver = (hostName: string) => Promise<readonly string[]>;

const ABSENT = new Set<unknown>(['ENOTFOUND', 'ENODATA']);

/**
 * Creates a resolver that queries DNS servers only: no hosts file, no search domains, no cache. An address family
 * without a response after `limitMs` counts as failed. So a server that ignores one family does not block the addresses
 * of the other.
 */
export function createHostResolver(options: {
  /** `address:port` of each server; absent: the system's servers. */
  readonly servers?: readonly string[] | undefined;
  /** Delay before the one retry of a query, in ms. */
  readonly retryAfterMs: number;
  /** Time limit of a lookup, in ms, for any number of servers. */
  readonly limitMs: number;
}): HostResolver {
  const { servers, retryAfterMs, limitMs } = options;
  const resolver = new Resolver({ timeout: retryAfterMs, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);

  return async (hostName) => {
    const lookups = await Promise.allSettled([
      within(limitMs, 'the lookup of IPv4 addresses', resolver.resolve4(hostName)),
      within(limitMs, 'the lookup of IPv6 addresses', resolver.resolve6(hostName)),
    ]);
    const addresses = lookups.flatMap((lookup) => (lookup.status === 'fulfilled' ? lookup.value : []));
    if (addresses.length > 0) return addresses;
    for (const lookup of lookups) {
      if (lookup.status === 'rejected' && !isAbsent(lookup.reason)) throw lookup.reason;
    }
    return [];
  };
}

function isAbsent(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && ABSENT.has(error.code);
}
