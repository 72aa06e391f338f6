import { ADDRESS_AND_PORT, PORT } from '@partner/kernel/process/address-patterns';
import { commonConfig, integer } from '@partner/kernel/process/config';
import { sealingKeysSetting } from '@partner/kernel/security/secret-sealing';
import { z } from 'zod';
import type { DevHosts } from './endpoint-guard.js';

export const config = z.object({
  ...commonConfig,
  WEBHOOK_SEALING_KEYS: sealingKeysSetting,
  // It is also the prefetch count of the queue.
  DELIVERY_CONCURRENCY: integer({ min: 1, max: 2_000 })
    .default(500)
    .meta({ description: 'Maximum number of attempts in flight in one replica.', unit: 'attempts' }),
  DNS_SERVERS: dnsServersSetting()
    .optional()
    .describe(
      "DNS servers as `address:port`, separated by commas. Without them, the system's servers are used.",
    ),
  WEBHOOK_DEV_HOSTS: devHostsSetting()
    .optional()
    .describe(
      'Development only: `host=address:port`, separated by commas. Connections to these hosts go to that address, or to a host that the system resolves.',
    ),
  WEBHOOK_DEV_CA_FILE: z
    .string()
    .optional()
    .describe('Development only: PEM file of an additional certificate authority.'),
});

function dnsServersSetting() {
  const error = 'must be address:port, separated by commas, IPv6 in brackets';
  return z
    .string()
    .regex(new RegExp(`^\\s*${ADDRESS_AND_PORT}(\\s*,\\s*${ADDRESS_AND_PORT})*\\s*$`), error)
    .transform((text): readonly string[] => text.split(',').map((server) => server.trim()));
}

function devHostsSetting() {
  const error = 'must be host=address:port, separated by commas, hosts in lowercase and each once';
  const entry = `[a-z0-9.-]+=(${ADDRESS_AND_PORT}|[a-z][a-z0-9.-]*:${PORT})`;
  return z
    .string()
    .regex(new RegExp(`^\\s*${entry}(\\s*,\\s*${entry})*\\s*$`), { error, abort: true })
    .transform((text, context): DevHosts => {
      const hosts = new Map<string, { readonly host: string; readonly port: number }>();
      for (const pair of text.split(',')) {
        const [name = '', place = ''] = pair.trim().split('=');
        if (hosts.has(name)) {
          context.addIssue({ code: 'custom', message: error });
          return z.NEVER;
        }
        const end = place.lastIndexOf(':');
        const host = place.slice(0, end).replaceAll(/[[\]]/g, '');
        hosts.set(name, { host, port: Number(place.slice(end + 1)) });
      }
      return hosts;
    });
}
