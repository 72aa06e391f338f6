import { createCursorSigner } from '@partner/gateway-kit/operations/cursor-signer';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { afterEach } from '@jest/globals';
import { createHttpServer } from '@partner/kernel/process/http-server';
import { createRateLimiter } from '@partner/gateway-kit/limits/rate-limiter';
import { createRedis } from '@partner/gateway-kit/limits/redis';
import { closeServer, listen } from '@partner/kernel/process/listen';
import { createLoggerTo, silentLogger } from '@partner/kernel/telemetry/logger';
import { checkResponses } from '@partner/test-kit/check-responses';
import { Registry } from 'prom-client';
import supertest from 'supertest';
import { createConsoleApps } from '../automation-app.js';
import { type ConsoleSetup, createConsoleDeps } from '../console-deps.js';
import { PASSWORD, PEOPLE, type TestJobState } from './test-job-state.js';
import { FAKE_WEB_BUNDLE } from './fake-web-app.js';

const checked = checkResponses(afterEach);

export type TestConsole = Awaited<ReturnType<typeof startTestConsole>>;

interface RequestOptions {
  readonly cookie?: string | undefined;
  readonly address?: string | undefined;
  readonly body?: object | undefined;
}

type TestConsoleOptions = Partial<
  Pick<ConsoleSetup, 'environment' | 'publicBaseUrl' | 'limiter' | 'mailer' | 'verify' | 'provider'>
> & { readonly redisUrl: string; readonly jobState: TestJobState };

/**
 * Starts a console on a loopback port, with its own key prefix in a real Redis, and the clock of its job-state. A test fails if a
 * response does not match the API description.
 */
export async function startTestConsole({
  redisUrl,
  jobState,
  publicBaseUrl = 'https://partner.example',
  ...given
}: TestConsoleOptions) {
  const { origin } = new URL(publicBaseUrl);
  const keyPrefix = `test-${randomBytes(6).toString('hex')}:`;
  const { clock, after, pass } = jobState.time;
  const lines: string[] = [];
  const logger = createLoggerTo(
    { write: (line) => void lines.push(line) },
    { service: 'console', level: 'trace' },
  );
  const redis = createRedis(redisUrl, silentLogger, { replyTimeoutMs: 10_000 });
  await once(redis, 'ready');
  const metrics = new Registry();
  const deps = await createConsoleDeps({
    operations: jobState.operations,
    environment: 'sandbox',
    sessionRedis: redis,
    keyPrefix,
    sessionKeys: { keys: new Map([['test', randomBytes(32)]]) },
    cursorSigner: createCursorSigner([randomBytes(32)]),
    limiter: createRateLimiter({ redis, keyPrefix, replicas: 1, logger, metrics, clock }),
    webBundle: FAKE_WEB_BUNDLE,
    mailer: undefined,
    provider: undefined,
    publicBaseUrl,
    webhookBaseUrl: publicBaseUrl,
    egressAddresses: ['192.0.2.10/32'],
    logger,
    metrics,
    clock,
    after,
    rpcTimeoutMs: 60_000,
    trustedProxyHops: 1,
    ...given,
  });
  const { changeStreams, background } = deps;
  const app = createConsoleApps(deps);
  const server = createHttpServer(checked(app));
  await listen(server, { host: '127.0.0.1', port: 0, variable: 'HTTP_PORT' });

  /** Sends a request as a browser on the console's own pages does. */
  function request(
    method: 'get' | 'post' | 'put' | 'patch' | 'delete',
    path: string,
    { cookie, address, body }: RequestOptions = {},
  ): supertest.Test {
    const sent = supertest(server)[method](path);
    if (method !== 'get') void sent.set('origin', origin);
    if (cookie !== undefined) void sent.set('cookie', cookie);
    if (address !== undefined) void sent.set('x-forwarded-for', address);
    return body === undefined ? sent : sent.send(body);
  }

  return {
    server,
    jobState,
    logged: () => lines.join(''),
    now: clock,
    changeStreams,
    /** Advances the clock and runs the callbacks that are due. */
    pass,
    request,
    /** Signs in and resolves to the session's `cookie` header. */
    async signIn(email: string = PEOPLE.installerOwner) {
      const body = { email, password: PASSWORD };
      const response = await request('post', '/partner-api/session', { body }).expect(200);
      return response.get('set-cookie')?.[0]?.split(';', 1)[0] ?? '';
    },
    /** Resolves once no work runs in the background. */
    settled: () => background.settled(),
    /** Resolves once Redis replies. */
    async redisReady() {
      if (redis.status !== 'ready') await once(redis, 'ready');
    },
    async stop() {
      changeStreams.close();
      await closeServer(server);
      redis.disconnect();
    },
  };
}
