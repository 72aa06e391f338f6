import { createCursorSigner } from '@partner/gateway-kit/operations/cursor-signer';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { afterEach } from '@jest/globals';
import { verify } from '@node-rs/argon2';
import { createHttpServer } from '@partner/kernel/process/http-server';
import { createRateLimiter, type RateLimiter } from '@partner/gateway-kit/limits/rate-limiter';
import { createRedis } from '@partner/gateway-kit/limits/redis';
import { closeServer, listen } from '@partner/kernel/process/listen';
import type { Mailer } from '@partner/kernel/process/mail';
import { createLoggerTo, silentLogger } from '@partner/kernel/telemetry/logger';
import { checkResponses } from '@partner/test-kit/check-responses';
import { Registry } from 'prom-client';
import supertest from 'supertest';
import { createConsoleApp } from '../app.js';
import { createBackgroundWork } from '../background-work.js';
import { type ChangeStreams, createChangeStreams } from '../live/change-streams.js';
import { createDeviceCookie } from '../sessions/cookies.js';
import { createIdentityProvider } from '../sessions/identity-provider.js';
import { createLoginAttempts } from '../sessions/login-attempts.js';
import { createProviderRequests } from '../sessions/provider-requests.js';
import { createSessionLookup } from '../sessions/session-access.js';
import { createSessionSigner } from '../sessions/session-signer.js';
import { createSessionStore } from '../sessions/session-store.js';
import { createPasswordChecks } from '../sessions/verify-password.js';
import { PASSWORD, PEOPLE, type TestJobState } from './test-job-state.js';
import { FAKE_WEB_APP } from './fake-web-app.js';

const checked = checkResponses(afterEach);

/**
 * A console on a loopback port, with real Redis. A test fails if a response does not match the API description.
 */
export interface TestConsole {
  readonly server: Server;
  readonly origin: string;
  readonly jobState: TestJobState;
  /** Returns all log output. */
  logged(): string;
  /** Returns the current time of the console's clock. */
  now(): Date;
  /** Streams that notify open pages. */
  readonly changeStreams: ChangeStreams;
  /** Advances the clock and runs the callbacks that are due. */
  pass(ms: number): void;
  /** Sends a request as a browser on the console's own pages does. */
  request(
    method: 'get' | 'post' | 'put' | 'patch' | 'delete',
    path: string,
    options?: { readonly cookie?: string; readonly address?: string; readonly body?: object },
  ): supertest.Test;
  /** Signs in and resolves to the session's `cookie` header. */
  signIn(email?: string): Promise<string>;
  /** Resolves once no work runs in the background. */
  settled(): Promise<void>;
  /** Resolves once Redis replies. */
  redisReady(): Promise<void>;
  stop(): Promise<void>;
}

interface TestConsoleOptions {
  readonly redisUrl: string;
  readonly jobState: TestJobState;
  readonly publicBaseUrl?: string;
  readonly limiter?: RateLimiter;
  readonly mailer?: Mailer;
  readonly verify?: typeof verify;
  readonly provider?: Pick<
    Parameters<typeof createIdentityProvider>[0],
    'name' | 'issuer' | 'clientId' | 'clientSecret'
  >;
}

/** Starts a test console with its own key prefix in Redis, and the clock of its job-state. */
export async function startTestConsole(options: TestConsoleOptions): Promise<TestConsole> {
  const publicBaseUrl = options.publicBaseUrl ?? 'https://partner.example';
  const { origin } = new URL(publicBaseUrl);
  const keyPrefix = `test-${randomBytes(6).toString('hex')}:`;
  const { jobState } = options;
  const { clock, after, pass } = jobState.time;
  const lines: string[] = [];
  const logger = createLoggerTo(
    { write: (line) => void lines.push(line) },
    { service: 'console', level: 'trace' },
  );
  const redis = createRedis(options.redisUrl, silentLogger, { replyTimeoutMs: 10_000 });
  await once(redis, 'ready');
  const metrics = new Registry();
  const signer = createSessionSigner({ keys: new Map([['test', randomBytes(32)]]) });
  const sessions = createSessionStore({ redis, signer, keyPrefix, clock, randomBytes });
  const changeStreams = createChangeStreams({
    isAlive: createSessionLookup({
      operations: jobState.operations,
      sessions,
      logger,
      clock,
      rpcTimeoutMs: 5_000,
    }),
    logger,
    metrics,
    after,
  });
  const background = createBackgroundWork({ logger });
  const app = createConsoleApp({
    operations: jobState.operations,
    isSandbox: true,
    sessions,
    cursorSigner: createCursorSigner([randomBytes(32)]),
    changeStreams,
    attempts: createLoginAttempts({ redis, keyPrefix, clock, randomBytes }),
    deviceCookie: createDeviceCookie({ publicBaseUrl, signer, clock, randomBytes }),
    background,
    ...(await createPasswordChecks({ randomBytes, verify: options.verify ?? verify, metrics })),
    limiter: options.limiter ?? createRateLimiter({ redis, keyPrefix, replicas: 1, logger, metrics, clock }),
    webApp: FAKE_WEB_APP,
    mailer: options.mailer,
    identityProvider:
      options.provider && createIdentityProvider({ ...options.provider, publicBaseUrl, logger }),
    providerRequests: createProviderRequests({ redis, signer, keyPrefix, clock, randomBytes }),
    publicBaseUrl,
    logger,
    metrics,
    clock,
    rpcTimeoutMs: 5_000,
    trustedProxyHops: 1,
  });
  const server = createHttpServer(checked(app));
  await listen(server, { host: '127.0.0.1', port: 0, variable: 'HTTP_PORT' });

  const request = requestFrom(server, origin);
  return {
    server,
    origin,
    jobState,
    logged: () => lines.join(''),
    now: clock,
    changeStreams,
    pass,
    request,
    async signIn(email = PEOPLE.installerOwner) {
      const body = { email, password: PASSWORD };
      const response = await request('post', '/partner-api/session', { body }).expect(200);
      return response.get('set-cookie')?.[0]?.split(';', 1)[0] ?? '';
    },
    settled: () => background.settled(),
    redisReady: () => readyAgain(redis),
    async stop() {
      changeStreams.close();
      await closeServer(server);
      redis.disconnect();
    },
  };
}

function requestFrom(server: Server, origin: string): TestConsole['request'] {
  return (method, path, { cookie, address, body } = {}) => {
    const sent = supertest(server)[method](path);
    if (method !== 'get') void sent.set('origin', origin);
    if (cookie !== undefined) void sent.set('cookie', cookie);
    if (address !== undefined) void sent.set('x-forwarded-for', address);
    return body === undefined ? sent : sent.send(body);
  };
}

async function readyAgain(redis: ReturnType<typeof createRedis>): Promise<void> {
  if (redis.status !== 'ready') await once(redis, 'ready');
}
