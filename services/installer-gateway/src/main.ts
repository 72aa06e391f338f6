import { createClient } from '@connectrpc/connect';
import { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { JobService } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { CURRENT_API_VERSION } from '@partner/proto-contracts/public-api/versions';
import { JOB_STATE_RPC } from '@partner/proto-contracts/topology';
import { createAmqpConnection } from '@partner/runtime/amqp/connection';
import { createRpcTransport } from '@partner/runtime/amqp/rpc-transport';
import { createApiKeyAuthenticator } from '@partner/runtime/http/api-key-authentication';
import { createHttpServer } from '@partner/runtime/http/http-server';
import { createRateLimiter } from '@partner/runtime/http/rate-limiter';
import { createRedis } from '@partner/runtime/http/redis';
import { startRevocationListener } from '@partner/runtime/http/revocation-listener';
import { closeServer, listen } from '@partner/runtime/listen';
import { runService } from '@partner/runtime/service';
import { createInstallerApp } from './app.js';
import { config } from './config.js';
import { createFeedCursor } from './feed-cursor.js';

await runService({
  name: 'installer-gateway',
  config,
  async start(settings, { logger, metrics, lifecycle }) {
    const clock = () => new Date();
    const connection = createAmqpConnection({
      url: settings.AMQP_URL,
      name: 'installer-gateway',
      logger,
      metrics,
    });
    lifecycle.onShutdown('rabbitmq', () => connection.close());
    lifecycle.addReadinessCheck('rabbitmq', () => connection.isReady());

    const redis = createRedis(settings.REDIS_URL, logger);
    lifecycle.onShutdown('redis', async () => redis.disconnect());

    const transport = createRpcTransport({
      connection,
      queue: JOB_STATE_RPC,
      logger,
      metrics,
      defaultTimeoutMs: settings.RPC_TIMEOUT_MS,
    });
    lifecycle.onShutdown('rpc', () => transport.close());

    const authenticator = createApiKeyAuthenticator({
      access: createClient(AccessService, transport),
      surface: 'installer',
      environment: settings.PARTNER_ENVIRONMENT,
      monotonicMs: () => performance.now(),
      metrics,
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
    const server = createHttpServer(
      createInstallerApp({
        authenticator,
        limiter,
        jobs: createClient(JobService, transport),
        cursors: createFeedCursor(settings.CURSOR_SIGNING_KEY),
        logger,
        metrics,
        rpcTimeoutMs: settings.RPC_TIMEOUT_MS,
        trustedProxyHops: settings.TRUSTED_PROXY_HOPS,
      }),
      { 'x-svc-api-version': CURRENT_API_VERSION },
    );
    const port = await listen(server, {
      host: settings.HTTP_HOST,
      port: settings.HTTP_PORT,
      variable: 'HTTP_PORT',
    });
    lifecycle.onShutdown('http', () => closeServer(server));
    logger.info({ port }, 'http.listening');
  },
});
