import { z } from 'zod';

/** Settings of every service. Spread them into a service's own schema. */
export const commonConfig = {
  /** Environment of the deployment; determines which keys are accepted (spec: Authentication 2). */
  PARTNER_ENVIRONMENT: z.enum(['sandbox', 'production']),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  /** Address and port of `/livez`, `/readyz` and `/metrics`. Never reachable from outside the cluster. */
  ADMIN_HOST: z.string().min(1).default('0.0.0.0'),
  ADMIN_PORT: port().default(9100),
  AMQP_URL: urlWithProtocol('amqp:', 'amqps:'),
  /** Whether the service declares exchanges and queues, or only checks them with a user that may not declare. */
  AMQP_TOPOLOGY: z.enum(['declare', 'check']).default('declare'),
  /** Time limit of a shutdown in ms; then the process exits by force. */
  SHUTDOWN_GRACE_MS: integer({ min: 1_000, max: 600_000 }).default(25_000),
  /** The release's version, only for the metric `partner_release_info`; see the charts' `sandboxRun`. */
  RELEASE_VERSION: z.string().max(200).default(''),
  RELEASE_SANDBOX_SINCE: z.string().max(10).default(''),
  RELEASE_EARLY_REASON: z.string().max(200).default(''),
} as const;

/** Settings of a service that serves HTTP to partners or owners. */
export const httpConfig = {
  HTTP_HOST: z.string().min(1).default('0.0.0.0'),
  HTTP_PORT: port().default(8080),
  REDIS_URL: urlWithProtocol('redis:', 'rediss:'),
  /** Prefix of every key in Redis, so that deployments can share one. */
  REDIS_KEY_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9:_-]*$/, 'may hold letters, digits, ":", "_" and "-"')
    .default('partner:'),
  /** Time limit of Redis for counting a request, in ms; then the replica counts by itself. */
  REDIS_TIMEOUT_MS: integer({ min: 10, max: 10_000 }).default(100),
  /** Replicas of this service. A replica without Redis continues with this share of each limit. */
  RATE_LIMIT_REPLICAS: integer({ min: 1, max: 1_000 }).default(2),
  /** Number of proxies in front of the service whose `x-forwarded-for` is trusted. 0: none. */
  TRUSTED_PROXY_HOPS: integer({ min: 0, max: 10 }).default(0),
  /**
   * Time limit of one call to job-state, in ms. Never below the 2 s for which a repeated idempotency key waits for the
   * first use.
   */
  RPC_TIMEOUT_MS: integer({ min: 3_000, max: 60_000 }).default(5_000),
} as const;

/** Parses a whole number within bounds. */
export function integer({ min, max }: { min: number; max: number }) {
  const expectation = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^-?\d+$/, expectation)
    .transform(Number)
    .pipe(z.number().min(min, expectation).max(max, expectation));
}

/** Parses a TCP port; 0 binds a free one. */
export function port() {
  return integer({ min: 0, max: 65_535 });
}

/** Validates a URL with one of the protocols; the result stays text. */
export function urlWithProtocol(...protocols: readonly string[]) {
  const expectation = `must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`;
  return z.string().refine((text) => {
    return URL.canParse(text) && protocols.includes(new URL(text).protocol);
  }, expectation);
}

/** All violations in an environment; the message has a line for each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads a service's settings from the environment only. An empty variable counts as unset. Throws {@link ConfigError}
 * with every violation. It never repeats values, because they can be secrets.
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
