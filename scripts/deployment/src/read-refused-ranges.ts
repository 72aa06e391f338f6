import { z } from 'zod';
import { loadServiceModule } from './load-service-module.js';

/** Where webhook-dispatcher sends nothing, as CIDR. */
export interface RefusedRanges {
  readonly ipv4: readonly string[];
  /** The only IPv6 range that it sends to. */
  readonly publicIpv6: string;
  /** What it refuses of that. */
  readonly ipv6: readonly string[];
}

/** Reads the ranges out of webhook-dispatcher itself, so that what refuses addresses twice refuses the same ones. */
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
