import { afterMs } from '@partner/kernel/process/timers';
import { authenticateKeyOperation } from '@partner/proto-contracts/internal/access/authenticate-key';
import type { Surface } from '@partner/proto-contracts/api/scopes';
import type { QueueDefinition } from '@partner/proto-contracts/topology';
import type { RequestListener } from 'node:http';
import type { z } from 'zod';
import type { commonConfig, httpConfig } from '@partner/kernel/process/config';
import type { OperationClient } from '@partner/kernel/amqp/operation-client';
import { listen } from '@partner/kernel/process/listen';
import { runService } from '@partner/kernel/process/service';
import {
  type ApiKeyAuthenticator,
  type ApiKeyPrincipal,
  createApiKeyAuthenticator,
} from '../auth/api-key-authentication.js';
import { connectJobState } from './connect-job-state.js';
import { type CursorSigner, createCursorSigner } from './cursor-signer.js';
import { createFaultScripts } from './fault-scripts.js';
import type { HttpAppOptions } from '../http/http-app.js';
import { createHttpServer, drainServer } from '@partner/kernel/process/http-server';
import { createRateLimiter, type RateLimiter } from '../limits/rate-limiter.js';
import { createRedis } from '../limits/redis.js';
import { startRevocationListener } from '../auth/revocation-listener.js';

type GatewaySettings = z.infer<z.ZodObject<typeof commonConfig & typeof httpConfig>>;

/** Backing services of a gateway's app. */
export interface GatewayParts extends Pick<
  HttpAppOptions<ApiKeyPrincipal>,
  'logger' | 'metrics' | 'rpcTimeoutMs' | 'trustedProxyHops' | 'injectFaults'
> {
  /** Calls of job-state's operations. */
  readonly operations: OperationClient;
  readonly authenticator: ApiKeyAuthenticator;
  readonly limiter: RateLimiter;
  readonly cursorSigner: CursorSigner;
}

/**
 * Runs one gateway as this process: a service (see {@link runService}) that serves one surface to holders of API keys.
 * It calls job-state over the broker and counts in Redis. It is ready once it has reached the broker; it keeps
 * working without Redis. On shutdown, requests in flight get their responses before the broker connection closes.
 */
export async function runGateway<S extends z.ZodType<GatewaySettings>>(options: {
  readonly name: string;
  readonly surface: Surface;
  /** The queue in which job-state serves this gateway. */
  readonly queue: QueueDefinition;
  readonly config: S;
  readonly createApp: (parts: GatewayParts, settings: z.infer<S>) => RequestListener;
  /** Headers of responses with which Node refuses a request before the app sees it, e.g. the surface's API version. */
  readonly refusalHeaders?: Readonly<Record<string, string>>;
}): Promise<void> {
  const { name, surface, queue, createApp, refusalHeaders } = options;
  await runService({
    name,
    config: options.config,
    async start(settings, kit) {
      const { logger, metrics, lifecycle } = kit;
      const { connection, operations } = connectJobState(
        settings,
        { logger, metrics, lifecycle },
        { name, queue },
      );

      const redis = createRedis(settings.REDIS_URL, logger, { replyTimeoutMs: settings.REDIS_TIMEOUT_MS });
      lifecycle.onShutdown('redis', async () => redis.disconnect());

      const authenticator = createApiKeyAuthenticator({
        findKey: (key, call) => operations.callInternal(authenticateKeyOperation, key, call),
        surface,
        environment: settings.PARTNER_ENVIRONMENT,
        monotonicMs: () => performance.now(),
        metrics,
        after: afterMs,
      });
      const revocations = startRevocationListener({ connection, authenticator, logger });
      lifecycle.onShutdown('revocations', () => revocations.stop());

      const limiter = createRateLimiter({
        redis,
        keyPrefix: settings.REDIS_KEY_PREFIX,
        replicas: settings.RATE_LIMIT_REPLICAS,
        logger,
        metrics,
        clock: () => new Date(),
      });
      const faultScripts =
        settings.PARTNER_ENVIRONMENT === 'sandbox'
          ? createFaultScripts({ redis, keyPrefix: settings.REDIS_KEY_PREFIX, logger })
          : undefined;
      const parts: GatewayParts = {
        operations,
        authenticator,
        limiter,
        cursorSigner: createCursorSigner(settings.CURSOR_SIGNING_KEY, settings.CURSOR_FORM),
        logger,
        metrics,
        rpcTimeoutMs: settings.RPC_TIMEOUT_MS,
        trustedProxyHops: settings.TRUSTED_PROXY_HOPS,
        injectFaults: faultScripts?.inject,
      };
      const server = createHttpServer(createApp(parts, settings), refusalHeaders);
      const port = await listen(server, {
        host: settings.HTTP_HOST,
        port: settings.HTTP_PORT,
        variable: 'HTTP_PORT',
      });
      lifecycle.onShutdown('http', () => drainServer(server));
      // Runs before the server closes, which waits for every response in flight.
      lifecycle.onShutdown('fault-scripts', async () => faultScripts?.stop());
      logger.info({ port }, 'http.listening');
    },
  });
}
