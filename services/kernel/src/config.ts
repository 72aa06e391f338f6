import { z } from 'zod';

/** The settings that every service has. Spread it into a service's own schema. */
export const commonConfig = {
  /** Which environment the deployment serves: decides which keys are taken (spec: Authentication 2). */
  PARTNER_ENVIRONMENT: z.enum(['sandbox', 'production']),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  /** Address and port of `/livez`, `/readyz` and `/metrics`. Never reachable from outside the cluster. */
  ADMIN_HOST: z.string().min(1).default('0.0.0.0'),
  ADMIN_PORT: port().default(9100),
  AMQP_URL: urlWithProtocol('amqp:', 'amqps:'),
  /** Whether the service makes exchanges and queues, or only looks for them: with a user that may not make any. */
  AMQP_TOPOLOGY: z.enum(['declare', 'check']).default('declare'),
  /** How long a shutdown may take before the process ends by force. */
  SHUTDOWN_GRACE_MS: integer({ min: 1_000, max: 600_000 }).default(25_000),
  /** What the release says of itself, for the metric `partner_release_info` alone; see the charts' `sandboxRun`. */
  RELEASE_VERSION: z.string().max(200).default(''),
  RELEASE_SANDBOX_SINCE: z.string().max(10).default(''),
  RELEASE_EARLY_REASON: z.string().max(200).default(''),
} as const;

/** The settings of a service that serves HTTP to partners or owners. */
export const httpConfig = {
  HTTP_HOST: z.string().min(1).default('0.0.0.0'),
  HTTP_PORT: port().default(8080),
  REDIS_URL: urlWithProtocol('redis:', 'rediss:'),
  /** Stands before every key in Redis, so that several deployments can share one. */
  REDIS_KEY_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9:_-]*$/, 'may hold letters, digits, ":", "_" and "-"')
    .default('partner:'),
  /** How long Redis may take to count a request before the replica counts for itself. */
  REDIS_TIMEOUT_MS: integer({ min: 10, max: 10_000 }).default(100),
  /** Replicas of this service; a replica that has lost Redis goes on with this share of each limit. */
  RATE_LIMIT_REPLICAS: integer({ min: 1, max: 1_000 }).default(2),
  /** Proxies in front of the service whose `x-forwarded-for` is believed. 0: none. */
  TRUSTED_PROXY_HOPS: integer({ min: 0, max: 10 }).default(0),
  /** How long one call to job-state may take. Never less than a second use of an idempotency key waits for the first, 2 s. */
  RPC_TIMEOUT_MS: integer({ min: 3_000, max: 60_000 }).default(5_000),
} as const;

/** A whole number within bounds, from text. */
export function integer({ min, max }: { min: number; max: number }) {
  const expectation = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^-?\d+$/, expectation)
    .transform(Number)
    .pipe(z.number().min(min, expectation).max(max, expectation));
}

/** A TCP port, from text; 0 takes a free one. */
export function port() {
  return integer({ min: 0, max: 65_535 });
}

/** A URL with one of the protocols, kept as text. */
export function urlWithProtocol(...protocols: readonly string[]) {
  const expectation = `must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`;
  return z.string().refine((text) => {
    return URL.canParse(text) && protocols.includes(new URL(text).protocol);
  }, expectation);
}

/** Every fault of an environment at once; the message has a line for each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads a service's settings from the environment and nothing else. An empty variable counts as not set. Throws
 * {@link ConfigError} that lists every fault; values are never repeated in it, since they can be secrets.
 */
export function parseConfig<S extends z.ZodType>(
  schema: S,
  environment: Readonly<Record<string, string | undefined>>,
): z.infer<S> {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = schema.safeParse(given, {
    error: (issue) =>
      issue.code === 'invalid_type' && issue.input === undefined
        ? 'is not set'
        : issue.code === 'invalid_value'
          ? `must be one of ${issue.values.map(String).join(', ')}`
          : undefined,
  });
  if (result.success) return result.data;
  const faults = result.error.issues.map(
    (issue) => `  ${issue.path.join('.') || 'settings'}: ${issue.message}`,
  );
  throw new ConfigError(`the environment is not usable:\n${faults.join('\n')}`);
}
