import { z } from 'zod';
import { loadServiceModule } from './load-service-module.js';

/** The ranges that webhook-dispatcher refuses, as CIDR. */
export interface RefusedRanges {
  readonly ipv4: readonly string[];
  /** The only IPv6 range that it sends requests to. */
  readonly publicIpv6: string;
  /** The ranges within it that it refuses. */
  readonly ipv6: readonly string[];
}

/** Reads the ranges from webhook-dispatcher, so that the network policy refuses the same ones. */
export async function readRefusedRanges(): Promise<RefusedRanges> {
  const rules = z
    .looseObject({
      REFUSED_IPV4_RANGES: z.array(z.string()),
      PUBLIC_IPV6_RANGE: z.string(),
      REFUSED_IPV6_RANGES: z.array(z.string()),
    })
    .parse(await loadServiceModule('webhook-dispatcher', 'address-rules'));
  return {
    ipv4: rules.REFUSED_IPV4_RANGES,
    publicIpv6: rules.PUBLIC_IPV6_RANGE,
    ipv6: rules.REFUSED_IPV6_RANGES,
  };
}
