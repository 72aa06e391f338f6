import { trace } from '@opentelemetry/api';
import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';
import { describeError } from './describe-error.js';
import { currentRequestId } from './request-context.js';

/**
 * Structured logger of one service. One wide line per unit of work, named `noun.past_verb`; `error` only if a human
 * must act.
 */
export type Logger = Pick<PinoLogger, 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace'> & {
  child(bindings: Record<string, unknown>): Logger;
};

const SECRET_FIELDS = new Set([
  'apikey',
  'authorization',
  'cookie',
  'password',
  'passwordhash',
  'secret',
  'privatekey',
  'sealedheaders',
  'sealedprivatekey',
  'sealedsecret',
  'set-cookie',
  'signature',
  'token',
  'webhook-signature',
  'x-api-key',
  'x-svc-signature',
]);
const REDACTION_DEPTH = 4;
/** Lines are written together: once they have this length, or after this time. */
const TOGETHER_LENGTH = 16_000;
const TOGETHER_MS = 250;
/** Characters that may wait for a slow reader of standard output. */
const MAX_WAITING_LENGTH = 16 * 1024 * 1024;

interface LoggerOptions {
  readonly service: string;
  readonly level: string;
  /** Absent: standard output. */
  readonly to?: 'standard error';
}

/**
 * Creates the logger of a service. Secret fields are redacted up to four levels deep, except in the bindings of child
 * loggers, which the code itself names. Of errors in `err` only what {@link describeError} returns is logged.
 *
 * Lines go to standard output while the process works on; an exit and a `fatal` line write all that are left. Lines
 * are lost in two cases: a kill, with those of its last moment, and a reader that leaves 16 MiB unread. Those are
 * counted by `log.lines_dropped` when it reads again.
 */
export function createLogger(options: LoggerOptions): Logger {
  const output = pino.destination({
    dest: options.to === undefined ? 1 : 2,
    sync: false,
    minLength: TOGETHER_LENGTH,
    maxLength: MAX_WAITING_LENGTH,
  });
  writeInTime(output);
  const logger = createLoggerTo(output, options);
  let dropped = 0;
  output.on('drop', () => (dropped += 1));
  output.on('drain', () => {
    if (dropped === 0) return;
    logger.warn({ lines: dropped }, 'log.lines_dropped');
    dropped = 0;
  });
  return logger;
}

/** Writes lines after their time, while there are any: the stream's periodic flush also writes when there is nothing to write. */
function writeInTime(output: ReturnType<typeof pino.destination>): void {
  const write = output.write.bind(output);
  let waitingBytes = 0;
  let timer: NodeJS.Timeout | undefined;
  function startTimer(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (waitingBytes <= 0) return;
      // It does nothing during a write, after which some lines may be left.
      output.flush();
      startTimer();
    }, TOGETHER_MS).unref();
  }
  output.write = (line) => {
    waitingBytes += Buffer.byteLength(line);
    startTimer();
    return write(line);
  };
  output.on('write', (bytes: number) => (waitingBytes -= bytes));
  output.on('drop', (line: string) => (waitingBytes -= Buffer.byteLength(line)));
  output.on('close', () => clearTimeout(timer));
}

export function createLoggerTo(destination: DestinationStream, options: LoggerOptions): Logger {
  const settings = {
    level: options.level,
    base: { service: options.service },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: {
      level: (label: string) => ({ level: label }),
      // Instead of pino's `redact`: with paths for every depth it costs thirty times the line itself.
      log: (fields: Record<string, unknown>) => redactFields(fields, REDACTION_DEPTH),
    },
    serializers: { err: describeError },
    mixin: () => {
      const requestId = currentRequestId();
      const span = trace.getActiveSpan()?.spanContext();
      return {
        ...(requestId !== undefined && { requestId }),
        ...(span !== undefined && { traceId: span.traceId, spanId: span.spanId }),
      };
    },
  };
  return pino(settings, destination);
}

/** Returns the fields with secrets redacted; the same object if there are none. */
function redactFields(fields: Record<string, unknown>, depth: number): Record<string, unknown> {
  let redacted: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(fields)) {
    const shown = SECRET_FIELDS.has(name.toLowerCase()) ? '[redacted]' : redactValue(value, depth - 1);
    if (shown === value) continue;
    redacted ??= { ...fields };
    redacted[name] = shown;
  }
  return redacted ?? fields;
}

function redactValue(value: unknown, depth: number): unknown {
  if (depth === 0 || !isPlainObject(value)) return value;
  return redactFields(value, depth);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Includes objects without a prototype, such as parsed headers. Errors and class instances have their own
  // serializers.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

export const silentLogger: Logger = pino({ level: 'silent' });
