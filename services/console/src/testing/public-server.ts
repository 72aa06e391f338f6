import { createServer, type Server } from 'node:http';
import type { AnyEndpoint } from '@partner/gateway-kit/http/endpoint';
import { createHttpApp } from '@partner/gateway-kit/http/http-app';
import { listen } from '@partner/kernel/process/listen';
import { ServiceError } from '@partner/kernel/process/service-error';
import { type Logger, silentLogger } from '@partner/kernel/telemetry/logger';
import { Registry } from 'prom-client';

/** Serves public endpoints. A request that is counted against a limit, or authenticated, fails. */
export async function startPublicServer(
  endpoints: readonly AnyEndpoint<never>[],
  logger: Logger = silentLogger,
): Promise<Server> {
  const limiter = {
    take: async (): Promise<never> => {
      throw new Error('no request is counted');
    },
  };
  const app = createHttpApp<never>({
    endpoints,
    authenticate: () => {
      throw new ServiceError('unauthenticated', 'no caller is authenticated here');
    },
    challenge: 'ApiKey realm="test"',
    scopesOf: () => [],
    rateLimit: { limiter, keyOf: () => 'all', limitOf: () => 1, countedAs: 'to the API' },
    failedAuthentication: { limiter, limitPerMinute: 1 },
    logger,
    metrics: new Registry(),
    rpcTimeoutMs: 5_000,
    companyOf: () => '',
    trustedProxyHops: 0,
  });
  const server = createServer(app);
  await listen(server, { host: '127.0.0.1', port: 0, variable: 'HTTP_PORT' });
  return server;
}
