import { isIP } from 'node:net';
import { commonConfig, integer } from '@partner/kernel/config';
import { sealingKeysSetting } from '@partner/kernel/secret-sealing';
import { z } from 'zod';
import type { DevHosts, DialTarget } from './endpoint-guard.js';

/** The settings of webhook-dispatcher. */
export const webhookDispatcherConfig = z
  .object({
    ...commonConfig,
    WEBHOOK_SEALING_KEYS: sealingKeysSetting,
    // It is also the prefetch count of the queue.
    DELIVERY_CONCURRENCY: integer({ min: 1, max: 2_000 })
      .default(500)
      .meta({ description: 'Maximum of attempts in flight in one replica.', unit: 'attempts' }),
    DNS_SERVERS: dnsServersSetting()
      .optional()
      .describe(
        "DNS servers as `address:port`, separated by commas. Without them, the system's servers are used.",
      ),
    WEBHOOK_DEV_HOSTS: devHostsSetting()
      .optional()
      .describe(
        'Development only: `host=address:port`, separated by commas. Connections to these hosts go to that address.',
      ),
    WEBHOOK_DEV_CA_FILE: z
      .string()
      .optional()
      .describe('Development only: PEM file of an additional certificate authority.'),
  })
  .superRefine((settings, context) => {
    if (settings.PARTNER_ENVIRONMENT !== 'production') return;
    for (const name of ['WEBHOOK_DEV_HOSTS', 'WEBHOOK_DEV_CA_FILE'] as const) {
      if (settings[name] === undefined) continue;
      context.addIssue({ code: 'custom', path: [name], message: 'must not be set in production' });
    }
  });

function dnsServersSetting() {
  const error = 'must be address:port parted by commas, IPv6 in brackets';
  return z
    .string()
    .regex(/^([0-9A-Fa-f.:[\]]+:\d{1,5}(\s*,\s*|$))*$/, { error, abort: true })
    .transform((text, context): readonly string[] => {
      const servers = text.split(',').map((server) => server.trim());
      if (!servers.every((server) => parseAddressAndPort(server) !== undefined)) {
        context.addIssue({ code: 'custom', message: error });
        return z.NEVER;
      }
      return servers;
    });
}

function devHostsSetting() {
  return z.string().transform((text, context): DevHosts => {
    const hosts = new Map<string, DialTarget>();
    for (const entry of text.split(',')) {
      const [, host = '', place = ''] = /^([a-z0-9.-]+)=(.+)$/.exec(entry.trim()) ?? [];
      const target = parseAddressAndPort(place);
      if (host === '' || target === undefined || hosts.has(host)) {
        context.addIssue({
          code: 'custom',
          message: 'must be host=address:port parted by commas, hosts in lowercase and each once',
        });
        return z.NEVER;
      }
      hosts.set(host, target);
    }
    return hosts;
  });
}

function parseAddressAndPort(text: string): DialTarget | undefined {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([0-9.]+)):(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const [, ipv6, ipv4, digits] = match;
  const address = ipv6 ?? ipv4 ?? '';
  const port = Number(digits);
  const family = ipv6 === undefined ? 4 : 6;
  return isIP(address) === family && port >= 1 && port <= 65_535 ? { address, port } : undefined;
}
