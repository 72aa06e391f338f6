import { trace } from '@opentelemetry/api';
import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';

/**
 * Structured log of one service. One wide line per unit of work, named `noun.past_verb`; `error` only when a human must
 * act.
 */
export type Logger = Pick<PinoLogger, 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace'> & {
  child(bindings: Record<string, unknown>): Logger;
};

const SECRET_FIELDS = [
  'apiKey',
  'authorization',
  'cookie',
  'password',
  'passwordHash',
  'secret',
  'sealedSecret',
  'signature',
  'token',
  '["set-cookie"]',
  '["x-api-key"]',
  '["x-svc-signature"]',
  '["webhook-signature"]',
];

/** Makes the logger of a service. Fields that hold secrets are redacted wherever they stand up to three levels deep. */
export function createLogger(options: {
  readonly service: string;
  readonly level: string;
  readonly destination?: DestinationStream;
}): Logger {
  const settings = {
    level: options.level,
    base: { service: options.service },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: {
      paths: SECRET_FIELDS.flatMap((field) => {
        const member = field.startsWith('[') ? field : `.${field}`;
        return [field, `*${member}`, `*.*${member}`];
      }),
      censor: '[redacted]',
    },
    mixin: () => {
      const span = trace.getActiveSpan()?.spanContext();
      return span === undefined ? {} : { traceId: span.traceId, spanId: span.spanId };
    },
  };
  return options.destination === undefined ? pino(settings) : pino(settings, options.destination);
}

/** A logger that says nothing, for tests. */
export const silentLogger: Logger = pino({ level: 'silent' });
