import { JOB_STATE_MANAGEMENT_RPC } from '@partner/proto-contracts/topology';
import { startRevocationListener } from '@partner/gateway-kit/auth/revocation-listener';
import { connectJobState } from '@partner/gateway-kit/operations/connect-job-state';
import { createCursorSigner } from '@partner/gateway-kit/operations/cursor-signer';
import { createHttpServer, drainServer } from '@partner/kernel/process/http-server';
import { createRateLimiter } from '@partner/gateway-kit/limits/rate-limiter';
import { createRedis } from '@partner/gateway-kit/limits/redis';
import { listen } from '@partner/kernel/process/listen';
import { createMailer } from '@partner/kernel/mail/mail';
import { runService } from '@partner/kernel/process/service';
import type { z } from 'zod';
import { afterMs } from '@partner/kernel/process/timers';
import { hostsOf } from '@partner/kernel/process/wait-for';
import { createConsoleApps } from './automation-app.js';
import { config, isLoopbackHttp } from './config.js';
import { createConsoleDeps } from './console-deps.js';
import { startChangeListener } from './live/change-streams.js';
import { startNotificationEmails } from './notifications/start-notification-emails.js';
import type { ProviderClient } from './sessions/identity-provider.js';
import { createSessionRedis, requireSessions } from './sessions/session-redis.js';
import { readWebBundle, WEB_BUNDLE_DIRECTORY } from './bundle/web-bundle.js';

const RPC = { name: 'console rpc', queue: JOB_STATE_MANAGEMENT_RPC } as const;

await runService({
  name: 'console',
  config,
  async start(config, kit) {
    const { logger, metrics, lifecycle, waitFor } = kit;
    const { REDIS_URL: url, REDIS_KEY_PREFIX: keyPrefix } = config;
    const { PUBLIC_BASE_URL: publicBaseUrl, RPC_TIMEOUT_MS: rpcTimeoutMs } = config;
    const clock = () => new Date();
    const redis = createRedis(url, logger, { replyTimeoutMs: config.REDIS_TIMEOUT_MS });
    lifecycle.onShutdown('redis', async () => redis.disconnect());
    const sessionRedis = createSessionRedis({ url, keyPrefix, logger, metrics });
    lifecycle.onShutdown('session-redis', async () => sessionRedis.disconnect());
    const { connection, operations } = connectJobState(config, kit, RPC);
    const mailer = createMailer(config);
    const deps = await createConsoleDeps({
      operations,
      environment: config.PARTNER_ENVIRONMENT,
      sessionRedis,
      keyPrefix,
      sessionKeys: config.SESSION_KEYS,
      cursorSigner: createCursorSigner(config.CURSOR_SIGNING_KEY),
      limiter: createRateLimiter({
        redis,
        keyPrefix,
        replicas: config.RATE_LIMIT_REPLICAS,
        logger,
        metrics,
        clock,
      }),
      webBundle: readWebBundle(WEB_BUNDLE_DIRECTORY),
      mailer,
      provider: providerOf(config),
      publicBaseUrl,
      webhookBaseUrl: config.WEBHOOK_BASE_URL ?? (isLoopbackHttp(publicBaseUrl) ? undefined : publicBaseUrl),
      egressAddresses: config.WEBHOOK_EGRESS_ADDRESSES ?? [],
      logger,
      metrics,
      clock,
      after: afterMs,
      rpcTimeoutMs,
      trustedProxyHops: config.TRUSTED_PROXY_HOPS,
    });
    const { changeStreams, background, keyAuthenticator: authenticator } = deps;
    const changeListener = startChangeListener({ connection, changeStreams, logger });
    lifecycle.onShutdown('change-listener', () => changeListener.stop());
    const revocations = startRevocationListener({ connection, authenticator, logger });
    lifecycle.onShutdown('revocations', () => revocations.stop());
    lifecycle.onShutdown('background-work', () => background.settled());
    if (mailer !== undefined) {
      const emails = startNotificationEmails({ ...deps, mailer });
      lifecycle.onShutdown('notification-emails', () => emails.stop());
    }
    await waitFor(`Redis at ${hostsOf(url)}`, () => requireSessions(sessionRedis, keyPrefix));
    const server = createHttpServer(createConsoleApps(deps));
    await listen(server, { host: config.HTTP_HOST, port: config.HTTP_PORT, variable: 'HTTP_PORT' });
    lifecycle.onShutdown('http-server', () => drainServer(server));
    // Runs first: the server waits for every response in flight, and these streams would not end.
    lifecycle.onShutdown('change-streams', async () => changeStreams.close());
  },
});

function providerOf(given: z.output<typeof config>): ProviderClient | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = given;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return { name: given.OIDC_PROVIDER_NAME, issuer, clientId, clientSecret };
}
