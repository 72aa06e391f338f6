import { parsedUrl } from '@partner/proto-contracts/values/parsed-url';
import { HOST_AND_PORT } from './address-patterns.js';
import { z } from 'zod';
import { KEY_FORM, keyBytes } from './key-bytes.js';
import { BACKING_SERVICES, productionViolations } from './production-settings.js';

declare module 'zod' {
  /** Metadata of a setting beyond its schema. The charts and the settings page are generated from both. */
  interface GlobalMeta {
    /** Unit of a number. */
    readonly unit?: string;
    /** A secret comes from a Kubernetes secret and is never a chart value. */
    readonly isSecret?: boolean;
  }
}

export const commonConfig = {
  PARTNER_ENVIRONMENT: z
    .enum(['sandbox', 'production'])
    .describe('Environment of the deployment. It determines which API keys are accepted.'),
  ALLOW_PLAINTEXT: allowPlaintext(),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Lowest level that is logged.'),
  ADMIN_HOST: z
    .string()
    .min(1)
    .default('0.0.0.0')
    .describe('Address of the admin port. It must not be reachable from outside the cluster.'),
  ADMIN_PORT: port().default(9100).describe('Port of `/livez`, `/readyz` and `/metrics`.'),
  AMQP_URL: urlsWithProtocol('amqp:', 'amqps:').meta({
    description:
      'URL of RabbitMQ 3.10 or newer, `amqps://user:password@host:5671/vhost`. For a cluster, the URLs of its nodes, separated by commas.',
    isSecret: true,
  }),
  AMQP_TOPOLOGY: z
    .enum(['declare', 'declare-cluster', 'check'])
    .default('declare')
    .describe(
      '`declare` creates exchanges and queues. `declare-cluster` creates RPC queues as quorum queues, which survive the loss of a node. `check` only verifies them, for a RabbitMQ user without the permission to create any.',
    ),
  SHUTDOWN_GRACE_MS: integer({ min: 1_000, max: 600_000 }).default(25_000).meta({
    description: 'Time limit of a graceful shutdown. After it, the process exits with work unfinished.',
    unit: 'ms',
  }),
  OTEL_TRACES_EXPORTER: z
    .enum(['none', 'otlp', 'console'])
    .default('none')
    .describe('Exporter of traces. OpenTelemetry reads this and its other variables itself.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .string()
    .regex(
      new RegExp(`^https?://${HOST_AND_PORT}(/[^?#\\s]*)?$`, 'u'),
      'must be a URL that begins with http:// or https://',
    )
    .optional()
    .describe('URL of the trace collector, e.g. `http://collector.monitoring:4318`.'),
  OTEL_TRACES_SAMPLER: z
    .enum([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ])
    .optional()
    .describe('Sampler of traces. Without one, all traces are kept.'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .optional()
    .describe('Argument of the sampler, e.g. `0.1` for a tenth of the traces.'),
  RELEASE_VERSION: z
    .string()
    .max(200)
    .default('')
    .describe('Version of the release, for the metric `partner_release_info`. The charts set it.'),
  RELEASE_SANDBOX_SINCE: z
    .string()
    .max(10)
    .default('')
    .describe('Day since which the version runs in the sandbox, for the same metric.'),
  RELEASE_EARLY_REASON: z
    .string()
    .max(200)
    .default('')
    .describe('Reason for an early release, for the same metric.'),
} as const;

export const httpConfig = {
  HTTP_HOST: z.string().min(1).default('0.0.0.0').describe('Address of the HTTP port.'),
  HTTP_PORT: port().default(8080).describe('HTTP port.'),
  REDIS_URL: redisUrl().meta({
    description:
      'URL of Redis 7, `rediss://user:password@host:6379/0`, for rate limits and sessions. With Sentinels, their URLs, `rediss-sentinel://user:password@host:26379/0?group=mymaster`, separated by commas. For a cluster, the URLs of its nodes, `rediss-cluster://user:password@host:6379`. URLs that begin with `redis` instead of `rediss` are without TLS.',
    isSecret: true,
  }),
  CURSOR_SIGNING_KEY: cursorKeys().meta({
    description:
      'Keys that sign cursors, 32 bytes in base64 each, separated by commas; the first signs, all are accepted. They must be the same in the gateways and the console. A cursor is invalid once the key that signed it is removed.',
    isSecret: true,
  }),
  REDIS_KEY_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9:_-]*$/, 'must consist of letters, digits, ":", "_" and "-"')
    .default('partner:')
    .describe('Prefix of every key in Redis, so that deployments can share one Redis.'),
  REDIS_TIMEOUT_MS: integer({ min: 10, max: 10_000 }).default(100).meta({
    description: 'How long Redis may take to count a request. After that, the replica counts it locally.',
    unit: 'ms',
  }),
  RATE_LIMIT_REPLICAS: integer({ min: 1, max: 1_000 }).default(2).meta({
    description:
      'Maximum number of replicas that the service can have. While Redis is down, each replica allows one share of every rate limit: the limit divided by this number.',
    unit: 'replicas',
  }),
  TRUSTED_PROXY_HOPS: integer({ min: 0, max: 10 }).default(0).meta({
    description: 'Proxies in front of the service whose `x-forwarded-for` is trusted.',
    unit: 'proxies',
  }),
  // At least the 2 s for which a repeated idempotency key waits for the first use, and the call itself.
  RPC_TIMEOUT_MS: integer({ min: 3_000, max: 60_000 })
    .default(5_000)
    .meta({ description: 'Timeout of one call to job-state.', unit: 'ms' }),
} as const;

/** Validates the names of settings whose URLs may be without TLS in production; the result stays text. */
function allowPlaintext() {
  const name = `(${BACKING_SERVICES.join('|')})`;
  return z
    .string()
    .regex(
      new RegExp(`^(${name}(,${name})*)?$`),
      `must be names of ${BACKING_SERVICES.join(', ')}, separated by commas`,
    )
    .default('')
    .describe(
      'Names of settings, separated by commas, whose backing services production may use without TLS, for example because a service mesh encrypts: `AMQP_URL,REDIS_URL`. A loopback address needs no TLS.',
    );
}

export function integer({ min, max }: { min: number; max: number }) {
  const expectation = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^-?\d+$/, expectation)
    .transform(Number)
    .pipe(z.int(expectation).min(min, expectation).max(max, expectation));
}

/** Parses a TCP port; 0 binds a free one. */
function port() {
  return integer({ min: 0, max: 65_535 });
}

/** Validates a URL with one of the protocols; the result stays text. */
export function urlWithProtocol(...protocols: readonly string[]) {
  const expectation = `must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`;
  return z
    .string()
    .regex(new RegExp(`^(?:${protocols.join('|')})//`), { error: expectation, abort: true })
    .refine((text) => parsedUrl(text) !== undefined, expectation);
}

/** Parses one or more such URLs, separated by commas; the result stays text. */
function urlsWithProtocol(...protocols: readonly string[]) {
  const url = urlWithProtocol(...protocols);
  return z
    .string()
    .refine(
      (text) => text.split(',').every((part) => url.safeParse(part).success),
      `must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}, or several, separated by commas`,
    );
}

/** Parses the URL of one Redis, or the URLs of Sentinels or of the nodes of a cluster; the result stays text. */
function redisUrl() {
  const forms = [
    urlWithProtocol('redis:', 'rediss:'),
    urlsWithProtocol('redis-sentinel:', 'rediss-sentinel:'),
    urlsWithProtocol('redis-cluster:', 'rediss-cluster:'),
  ];
  return z
    .string()
    .refine(
      (text) => forms.some((form) => form.safeParse(text).success),
      'must be one URL that begins with redis:// or rediss://, or several that begin with redis-sentinel:// or redis-cluster://, separated by commas',
    );
}

function cursorKeys() {
  return z.string().transform((text, context): readonly [Buffer, ...Buffer[]] => {
    const [first, ...others] = text.split(',').map((part) => keyBytes(part.trim()));
    const rest = others.filter((key) => key !== undefined);
    if (first !== undefined && rest.length === others.length) return [first, ...rest];
    context.addIssue({ code: 'custom', message: `must be ${KEY_FORM}, or several, separated by commas` });
    return z.NEVER;
  });
}

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
  const issues = result.error?.issues ?? [];
  const names = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const violations = [
    ...issues.map((issue) => `  ${issue.path.join('.') || 'settings'}: ${issue.message}`),
    ...productionViolations(names, given).map(({ name, message }) => `  ${name}: ${message}`),
  ];
  if (result.success && violations.length === 0) return result.data;
  throw new ConfigError(`these settings are not valid:\n${violations.join('\n')}`);
}
