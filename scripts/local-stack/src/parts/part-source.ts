import { z } from 'zod';

/** The parts that are no work of ours. */
export const PART_NAMES = ['postgres', 'rabbitmq', 'redis'] as const;

export type PartName = (typeof PART_NAMES)[number];

/** How a person reads the name of a part. */
export const PART_TITLES = {
  postgres: 'Postgres',
  rabbitmq: 'RabbitMQ',
  redis: 'Redis',
} as const satisfies Record<PartName, string>;

const port = z.int().min(1).max(65_535);

/** Where a part comes from. */
export const partSource = z.discriminatedUnion('kind', [
  /** A server that we were given; the URL names our own database or vhost there. */
  z.object({ kind: z.literal('given'), url: z.string() }),
  /** A container of `docker-compose.yml`. */
  z.object({ kind: z.literal('docker'), url: z.string(), port }),
  /** An instance of our own of an installed program. */
  z.object({
    kind: z.literal('private'),
    port,
    portMapperPort: port.optional(),
    distributionPort: port.optional(),
  }),
]);

export type PartSource = z.infer<typeof partSource>;
