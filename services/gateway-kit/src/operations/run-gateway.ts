import { afterMs } from '@partner/kernel/process/timers';
import { authenticateKeyOperation } from '@partner/proto-contracts/internal/access/authenticate-key';
import type { Surface } from '@partner/proto-contracts/api/scopes';
import type { QueueDefinition } from '@partner/proto-contracts/topology';
import type { RequestListener } from 'node:http';
import type { z } from 'zod';
import type { commonConfig, httpConfig } from '@partner/kernel/process/config';
import { listen } from '@partner/kernel/process/listen';
import { runService } from '@partner/kernel/process/service';
import { createApiKeyAuthenticator } from '../auth/api-key-authentication.js';
import type { ApiKeySurfaceDeps } from './api-key-surface.js';
import { connectJobState } from './connect-job-state.js';
import { createCursorSigner } from './cursor-signer.js';
import { createFaultScripts } from './fault-scripts.js';
import { createHttpServer, drainServer } from '@partner/kernel/process/http-server';
import { createRateLimiter } from '../limits/rate-limiter.js';
import { createRedis } from '../limits/redis.js';
import { startRevocationListener } from '../auth/revocation-listener.js';

type GatewaySettings = z.infer<z.ZodObject<typeof commonConfig & typeof httpConfig>>;

/**
 * Runs one gateway as this process: a service (see {@link runService}) that serves one surface to holders of API keys.
 * It calls job-state over the broker and counts in Redis. It is ready once it has reached the broker; it keeps
 * working without Redis. On shutdown, requests in flight get their responses before the broker connection closes.
 */
export async function runGateway(options: {
  readonly name: string;
  readonly surface: Surface;
  readonly queue: QueueDefinition;
  readonly config: z.ZodType<GatewaySettings>;
  readonly createApp: (deps: ApiKeySurfaceDeps, settings: GatewaySettings) => RequestListener;
  /** Headers of responses with which Node refuses a request before the app sees it, e.g. the surface's API version. */
  readonly refusalHeaders?: Readonly<Record<string, string>>;
}): Promise<void> {
  const { name, surface, queue, createApp, refusalHeaders } = options;
  await runService({
    name,
    config: options.config,
    async start(settings, kit) {
      const { logger, metrics, lifecycle } = kit;
      const clock = () => new Date();
      const { connection, operations } = connectJobState(settings, kit, { name, queue });

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
        clock,
      });
      const faultScripts =
        settings.PARTNER_ENVIRONMENT === 'sandbox'
          ? createFaultScripts({ redis, keyPrefix: settings.REDIS_KEY_PREFIX, logger })
          : undefined;
      const deps: ApiKeySurfaceDeps = {
        operations,
        authenticator,
        limiter,
        cursorSigner: createCursorSigner(settings.CURSOR_SIGNING_KEY),
        clock,
        logger,
        metrics,
        rpcTimeoutMs: settings.RPC_TIMEOUT_MS,
        trustedProxyHops: settings.TRUSTED_PROXY_HOPS,
        injectFaults: faultScripts?.inject,
      };
      const server = createHttpServer(createApp(deps, settings), refusalHeaders);
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
