import { z } from 'zod';

/** The parts that other projects provide. */
export const PART_NAMES = ['postgres', 'rabbitmq', 'redis'] as const;

export type PartName = (typeof PART_NAMES)[number];

/** The name of a part in messages. */
export const PART_TITLES = {
  postgres: 'Postgres',
  rabbitmq: 'RabbitMQ',
  redis: 'Redis',
} as const satisfies Record<PartName, string>;

const port = z.int().min(1).max(65_535);

/** The source of a part. */
export const partSource = z.discriminatedUnion('kind', [
  /** A given server; the URL names the stack's database or vhost there. */
  z.object({ kind: z.literal('given'), url: z.string() }),
  /** A container of `docker-compose.yml`. */
  z.object({ kind: z.literal('docker'), url: z.string(), port }),
  /** A private instance of an installed program. */
  z.object({
    kind: z.literal('private'),
    port,
    portMapperPort: port.optional(),
    distributionPort: port.optional(),
  }),
]);

export type PartSource = z.infer<typeof partSource>;
