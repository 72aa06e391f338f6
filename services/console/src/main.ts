import { verify } from '@node-rs/argon2';
import { randomBytes } from 'node:crypto';
import { JOB_STATE_MANAGEMENT_RPC } from '@partner/proto-contracts/topology';
import { connectJobState } from '@partner/gateway-kit/operations/connect-job-state';
import { createCursorSigner } from '@partner/gateway-kit/operations/cursor-signer';
import type { OperationClient } from '@partner/kernel/amqp/operation-client';
import { createHttpServer, drainServer } from '@partner/kernel/process/http-server';
import { createRateLimiter } from '@partner/gateway-kit/limits/rate-limiter';
import { createRedis } from '@partner/gateway-kit/limits/redis';
import { listen } from '@partner/kernel/process/listen';
import { createMailer, type Mailer } from '@partner/kernel/process/mail';
import { runService, type ServiceKit } from '@partner/kernel/process/service';
import type { z } from 'zod';
import { afterMs } from '@partner/kernel/process/timers';
import { hostsOf } from '@partner/kernel/process/wait-for';
import { createConsoleApp } from './app.js';
import { createBackgroundWork } from './background-work.js';
import { config } from './config.js';
import { createChangeStreams } from './live/change-streams.js';
import { startChangeListener } from './live/start-change-listener.js';
import { startNotificationEmails } from './notifications/start-notification-emails.js';
import { createDeviceCookie } from './sessions/cookies.js';
import { createIdentityProvider, type IdentityProvider } from './sessions/identity-provider.js';
import { createLoginAttempts } from './sessions/login-attempts.js';
import { createProviderRequests } from './sessions/provider-requests.js';
import { createSessionLookup } from './sessions/session-access.js';
import { createSessionRedis, requireSessions } from './sessions/session-redis.js';
import { createSessionSigner } from './sessions/session-signer.js';
import { createSessionStore } from './sessions/session-store.js';
import { createPasswordChecks } from './sessions/verify-password.js';
import { readWebBundle, WEB_BUNDLE_DIRECTORY } from './web/web-bundle.js';

const NOTIFICATION_EMAILS_INTERVAL_MS = 15_000;
const RPC = { name: 'console rpc', queue: JOB_STATE_MANAGEMENT_RPC } as const;

await runService({
  name: 'console',
  config,
  async start(config, kit) {
    const { logger, metrics, lifecycle, waitFor } = kit;
    const clock = () => new Date();
    const keyPrefix = config.REDIS_KEY_PREFIX;

    const { redis, sessionRedis } = openRedis(config, kit);
    const { connection, operations } = connectJobState(config, kit, RPC);
    const signer = createSessionSigner(config.SESSION_KEYS);
    const stored = { redis: sessionRedis, signer, keyPrefix, clock, randomBytes };
    const sessions = createSessionStore(stored);
    const changeStreams = createChangeStreams({
      isAlive: createSessionLookup({
        operations,
        sessions,
        logger,
        clock,
        rpcTimeoutMs: config.RPC_TIMEOUT_MS,
      }),
      logger,
      metrics,
      after: afterMs,
    });
    const changeListener = startChangeListener({ connection, changeStreams, logger });
    lifecycle.onShutdown('change-listener', () => changeListener.stop());

    const background = createBackgroundWork({ logger });
    lifecycle.onShutdown('background-work', () => background.settled());

    const mailer = startMailer(config, kit, operations);

    const app = createConsoleApp({
      operations,
      isSandbox: config.PARTNER_ENVIRONMENT === 'sandbox',
      sessions,
      cursorSigner: createCursorSigner(config.CURSOR_SIGNING_KEY),
      changeStreams,
      attempts: createLoginAttempts(stored),
      deviceCookie: createDeviceCookie({ ...stored, publicBaseUrl: config.PUBLIC_BASE_URL }),
      ...(await createPasswordChecks({ randomBytes, verify, metrics })),
      background,
      limiter: createRateLimiter({
        redis,
        keyPrefix,
        replicas: config.RATE_LIMIT_REPLICAS,
        logger,
        metrics,
        clock,
      }),
      webApp: {
        bundle: readWebBundle(WEB_BUNDLE_DIRECTORY),
        environment: config.PARTNER_ENVIRONMENT,
        randomBytes,
      },
      mailer,
      identityProvider: identityProviderOf(config, logger),
      providerRequests: createProviderRequests(stored),
      publicBaseUrl: config.PUBLIC_BASE_URL,
      logger,
      metrics,
      clock,
      rpcTimeoutMs: config.RPC_TIMEOUT_MS,
      trustedProxyHops: config.TRUSTED_PROXY_HOPS,
    });
    await waitFor(`Redis at ${hostsOf(config.REDIS_URL)}`, () => requireSessions(sessionRedis, keyPrefix));
    const server = createHttpServer(app);
    await listen(server, { host: config.HTTP_HOST, port: config.HTTP_PORT, variable: 'HTTP_PORT' });
    lifecycle.onShutdown('http-server', () => drainServer(server));
    // Runs first: the server waits for every response in flight, and these streams would not end.
    lifecycle.onShutdown('change-streams', async () => changeStreams.close());
  },
});

type ConsoleConfig = z.output<typeof config>;

function identityProviderOf(
  config: ConsoleConfig,
  logger: ServiceKit['logger'],
): IdentityProvider | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  const { OIDC_PROVIDER_NAME: name, PUBLIC_BASE_URL: publicBaseUrl } = config;
  return createIdentityProvider({ name, issuer, clientId, clientSecret, publicBaseUrl, logger });
}

function openRedis(
  { REDIS_URL: url, REDIS_TIMEOUT_MS: replyTimeoutMs, REDIS_KEY_PREFIX: keyPrefix }: ConsoleConfig,
  { logger, metrics, lifecycle }: ServiceKit,
) {
  const redis = createRedis(url, logger, { replyTimeoutMs });
  lifecycle.onShutdown('redis', async () => redis.disconnect());
  const sessionRedis = createSessionRedis({ url, keyPrefix, logger, metrics });
  lifecycle.onShutdown('session-redis', async () => sessionRedis.disconnect());
  return { redis, sessionRedis };
}

/** Creates the mailer, and starts the emails of notifications if there is a mail server. */
function startMailer(
  config: ConsoleConfig,
  { logger, metrics, lifecycle }: ServiceKit,
  operations: OperationClient,
): Mailer | undefined {
  const mailer = createMailer(config);
  if (mailer === undefined) return undefined;
  const emails = startNotificationEmails({
    operations,
    mailer,
    publicBaseUrl: config.PUBLIC_BASE_URL,
    rpcTimeoutMs: config.RPC_TIMEOUT_MS,
    logger,
    metrics,
    intervalMs: NOTIFICATION_EMAILS_INTERVAL_MS,
  });
  lifecycle.onShutdown('notification-emails', () => emails.stop());
  return mailer;
}
