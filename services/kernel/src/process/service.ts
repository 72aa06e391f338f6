import { format } from 'node:util';
import { Registry } from 'prom-client';
import type { z } from 'zod';
import { startAdminServer } from './admin-server.js';
import { type commonConfig, ConfigError, parseConfig } from './config.js';
import { createLifecycle, type Lifecycle } from './lifecycle.js';
import { ListenError } from './listen.js';
import { createLogger, type Logger } from '../telemetry/logger.js';
import { registerServiceMetrics } from './service-metrics.js';
import { flushTraces } from '../telemetry/tracing.js';
import { type WaitFor, waitFor } from './wait-for.js';

export interface ServiceKit {
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly lifecycle: Lifecycle;
  /** Waits for a dependency, without a limit. The service is alive and not ready meanwhile. */
  readonly waitFor: WaitFor;
}

type CommonSettings = z.infer<z.ZodObject<typeof commonConfig>>;

/**
 * Runs one service as this process. It reads the settings, serves the admin port, starts the service, and stops it in
 * order on SIGTERM or SIGINT, also while it starts. Exits with code 1 and one error message if a setting is invalid, a port is in use or the
 * start fails; a dependency that is absent fails no start. Exits with code 1 after an uncaught error too, because the state is then unknown. Never resolves.
 */
export async function runService<S extends z.ZodType<CommonSettings>>(options: {
  readonly name: string;
  readonly config: S;
  readonly start: (config: z.infer<S>, kit: ServiceKit) => Promise<void>;
}): Promise<void> {
  let config: z.infer<S>;
  try {
    config = parseConfig(options.config, process.env);
  } catch (error) {
    process.stderr.write(
      `${options.name}: ${error instanceof ConfigError ? error.message : String(error)}\n`,
    );
    process.exit(1);
  }
  const logger = createLogger({ service: options.name, level: config.LOG_LEVEL });
  logWarnings(logger);
  const metrics = new Registry();
  const lifecycle = createLifecycle({ logger, graceMs: config.SHUTDOWN_GRACE_MS });
  registerServiceMetrics(metrics, {
    service: options.name,
    lifecycle,
    release: {
      version: config.RELEASE_VERSION,
      sandboxSince: config.RELEASE_SANDBOX_SINCE,
      earlyReason: config.RELEASE_EARLY_REASON,
    },
  });

  lifecycle.onShutdown('traces', flushTraces);

  const stopping = new AbortController();
  const stop = async (cause: string, exitCode: number) => {
    stopping.abort();
    logger.info({ cause }, 'service.stopping');
    const clean = await lifecycle.shutDown();
    logger.info({ clean }, 'service.stopped');
    process.exit(clean ? exitCode : 1);
  };
  process.on('SIGTERM', () => void stop('SIGTERM', 0));
  process.on('SIGINT', () => void stop('SIGINT', 0));
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'service.crashed');
    process.exit(1);
  });

  try {
    const admin = await startAdminServer({
      host: config.ADMIN_HOST,
      port: config.ADMIN_PORT,
      lifecycle,
      metrics,
    });
    lifecycle.onShutdown('admin-server', admin.close);
    await options.start(config, {
      ...{ logger, metrics, lifecycle },
      waitFor: (what, attempt) => waitFor(what, attempt, { logger, signal: stopping.signal }),
    });
    lifecycle.started();
    logger.info({ adminPort: admin.port, environment: config.PARTNER_ENVIRONMENT }, 'service.started');
  } catch (error) {
    // The shutdown exits.
    if (stopping.signal.aborted) return;
    if (error instanceof ListenError) process.stderr.write(`${options.name}: ${error.message}\n`);
    else logger.fatal({ err: error }, 'service.start_failed');
    process.exit(1);
  }
}

/** Logs the warnings of libraries and of Node, which print them as text. */
function logWarnings(logger: Logger): void {
  const warn = (...parts: readonly unknown[]) => logger.warn({ text: format(...parts) }, 'library.warned');
  Object.assign(console, { warn, error: warn });
  process.removeAllListeners('warning');
  process.on('warning', (warning) => logger.warn({ err: warning }, 'process.warned'));
}
