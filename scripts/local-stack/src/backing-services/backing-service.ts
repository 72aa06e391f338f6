import { z } from 'zod';

export const BACKING_SERVICES = ['postgres', 'rabbitmq', 'redis'] as const;

export type BackingService = (typeof BACKING_SERVICES)[number];

export const BACKING_SERVICE_TITLES = {
  postgres: 'Postgres',
  rabbitmq: 'RabbitMQ',
  redis: 'Redis',
} as const satisfies Record<BackingService, string>;

const port = z.int().min(1).max(65_535);

export const backingServiceSource = z.discriminatedUnion('kind', [
  /** A given server; the URL names the stack's database or vhost there. */
  z.object({ kind: z.literal('given'), url: z.string() }),
  z.object({ kind: z.literal('docker'), url: z.string(), port }),
  z.object({
    kind: z.literal('private'),
    port,
    portMapperPort: port.optional(),
    distributionPort: port.optional(),
  }),
]);

export type BackingServiceSource = z.infer<typeof backingServiceSource>;

/** What a stack may use of a given server: a database or vhost of this name, or one that begins with it. */
export const OWN_NAME = 'partner';

/** Returns the URL of the vhost that a stack uses at a broker: the named one only if its name begins with `partner`. */
export function ownVhostUrl(url: string): string {
  const own = new URL(url);
  if (!own.pathname.startsWith(`/${OWN_NAME}`)) own.pathname = `/${OWN_NAME}`;
  return own.href;
}
