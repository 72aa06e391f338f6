import type { z } from 'zod';
import { parseConfig } from './config.js';
import { createLogger, type Logger } from '../telemetry/logger.js';
import { ServiceError } from './service-error.js';
import { failureText, type WaitFor, waitFor } from './wait-for.js';

export interface JobKit {
  readonly logger: Logger;
  /** Waits for a dependency. A refusal for good ends the job. */
  readonly waitFor: WaitFor;
}

/**
 * Runs a program that ends as this process: a migration, a seed, an operator's job. Exits with 0 after `run`, or with 1 and one message
 * on standard error: also on SIGTERM and SIGINT, at once. Never resolves.
 *
 * It waits for what it needs without a limit: what starts it sets one, as the charts do. Its log goes to standard error, so that
 * standard output holds the result alone.
 */
export async function runJob<S extends z.ZodType>(options: {
  readonly name: string;
  readonly config: S;
  readonly logLevel: (config: z.infer<S>) => string;
  readonly run: (config: z.infer<S>, kit: JobKit) => Promise<void>;
}): Promise<void> {
  const { name } = options;
  const end = (message: string) => {
    process.stderr.write(`${name}: ${message}\n`);
    process.exit(1);
  };
  const ending = new AbortController();
  const stop = (signal: string) => {
    ending.abort();
    end(`ended by ${signal} before it was done`);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  try {
    const config = parseConfig(options.config, process.env);
    const logger = createLogger({
      service: name,
      level: options.logLevel(config),
      to: 'standard error',
    });
    await options.run(config, {
      logger,
      waitFor: (what, attempt) =>
        waitFor(what, attempt, { logger, signal: ending.signal, untilRefused: true }),
    });
    process.exit(0);
  } catch (error) {
    end(describeFailure(error));
  }
}

/** The advice of a {@link ServiceError} is for the callers of an API; an operator needs its cause. */
function describeFailure(error: unknown): string {
  return failureText(error instanceof ServiceError && error.cause !== undefined ? error.cause : error);
}
