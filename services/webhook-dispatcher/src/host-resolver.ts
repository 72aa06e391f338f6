import { Resolver } from 'node:dns/promises';

/**
 * Looks a host name up anew: every A and AAAA address, in the servers' order, IPv4 first. Resolves to an empty list when
 * the name has none, and throws when none is known because the servers failed.
 */
export type HostResolver = (hostName: string) => Promise<readonly string[]>;

/** Codes with which a server says that there is no such name or no such record. */
const ABSENT = new Set<unknown>(['ENOTFOUND', 'ENODATA']);

/**
 * Makes a resolver that asks DNS servers and nothing else: no hosts file, no search domains, no cache. What has not come
 * after `limitMs` counts as failed, so that a server that never answers for one of the two families does not keep the
 * addresses of the other from being used.
 */
export function createHostResolver(options: {
  /** `address:port` of each server; absent: those of the system. */
  readonly servers?: readonly string[] | undefined;
  /** Milliseconds before a question is asked again, once; absent: 1,000. */
  readonly timeoutMs?: number;
  /** Milliseconds for a lookup, whatever the number of servers; absent: 3,000. */
  readonly limitMs?: number;
}): HostResolver {
  const { servers, timeoutMs = 1_000, limitMs = 3_000 } = options;
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);

  return async (hostName) => {
    const limit = startLimit(limitMs);
    const lookups = await Promise.allSettled([
      Promise.race([resolver.resolve4(hostName), limit.exceeded]),
      Promise.race([resolver.resolve6(hostName), limit.exceeded]),
    ]);
    limit.stop();
    const addresses = lookups.flatMap((lookup) => (lookup.status === 'fulfilled' ? lookup.value : []));
    if (addresses.length > 0) return addresses;
    for (const lookup of lookups) {
      if (lookup.status === 'rejected' && !isAbsent(lookup.reason)) throw lookup.reason;
    }
    return [];
  };
}

function startLimit(limitMs: number): { readonly exceeded: Promise<never>; readonly stop: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const exceeded = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the DNS servers did not answer in time')), limitMs);
  });
  return { exceeded, stop: () => clearTimeout(timer) };
}

function isAbsent(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && ABSENT.has(error.code);
}
