import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import type { ServiceName } from '@partner/local-stack/stack/services';

export async function exportsOf(module: string): Promise<Readonly<Record<string, unknown>>> {
  const exported: unknown = await import(module);
  return z.looseObject({}).parse({ ...z.custom<object>().parse(exported) });
}

/**
 * Returns the exports of a compiled file of a service, e.g. `config`. Only checks that compare a service with other files
 * may use it: no other code may import from a service.
 */
export function loadServiceModule(service: ServiceName, file: string) {
  const url = pathToFileURL(path.join(PROJECT_ROOT, 'services', service, 'dist', `${file}.js`));
  return exportsOf(url.href);
}

export type RefusedRanges = Awaited<ReturnType<typeof readRefusedRanges>>;

/** Reads the ranges from webhook-dispatcher, so that the network policy refuses the same ones. */
export async function readRefusedRanges() {
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
