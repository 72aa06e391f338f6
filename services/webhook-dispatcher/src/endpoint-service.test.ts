import { expect, test } from '@jest/globals';
import { createClient } from '@connectrpc/connect';
import { EndpointService } from '@partner/proto-contracts/gen/partner/webhooks/v1/endpoint_service_pb';
import { rpcService } from '@partner/runtime/amqp/rpc-service';
import { createInMemoryTransport } from '@partner/runtime/testing/in-memory-transport';
import { createEndpointGuard } from './endpoint-guard.js';
import { createEndpointService } from './endpoint-service.js';

const answers: Record<string, string[]> = {
  'hooks.example.com': ['93.184.215.14'],
  'private.example.com': ['10.0.0.1'],
};

const client = createClient(
  EndpointService,
  createInMemoryTransport([
    rpcService(
      EndpointService,
      createEndpointService({
        guard: createEndpointGuard({ resolveHost: async (name) => answers[name] ?? [] }),
      }),
    ),
  ]),
);

test('an allowed URL comes back normalised', async () => {
  const verdict = await client.checkEndpoint({ url: 'https://HOOKS.example.com:443/svc' });
  expect(verdict.allowed).toBe(true);
  expect(verdict.normalizedUrl).toBe('https://hooks.example.com/svc');
  expect(verdict.refusal).toBeUndefined();
});

test('every refusal reads the same, so that it tells nothing of what stands at an address', async () => {
  const urls = [
    'http://hooks.example.com/',
    'https://hooks.example.com:8443/',
    'https://private.example.com/',
    'https://nx.example.com/',
    'https://127.0.0.1/',
    'https://rabbitmq/',
  ];
  const verdicts = await Promise.all(urls.map((url) => client.checkEndpoint({ url })));
  expect(verdicts.map(({ allowed }) => allowed)).toEqual(urls.map(() => false));
  expect(verdicts.map(({ normalizedUrl }) => normalizedUrl)).toEqual(urls.map(() => undefined));
  expect(new Set(verdicts.map(({ refusal }) => refusal)).size).toBe(1);
});

test('a question without a URL is a fault of the caller', async () => {
  await expect(client.checkEndpoint({})).rejects.toThrow(/url is not given/);
});
