import { expect, test } from '@jest/globals';
import { createClient } from '@connectrpc/connect';
import { EndpointService } from '@partner/proto-contracts/gen/partner/webhooks/v1/endpoint_service_pb';
import { rpcService } from '@partner/kernel/amqp/rpc-service';
import { createInMemoryTransport } from '@partner/kernel/testing/in-memory-transport';
import { createEndpointGuard } from './endpoint-guard.js';
import { createEndpointService } from './endpoint-service.js';

const addresses: Record<string, string[]> = {
  'hooks.example.com': ['93.184.215.14'],
  'private.example.com': ['10.0.0.1'],
};

const client = createClient(
  EndpointService,
  createInMemoryTransport([
    rpcService(
      EndpointService,
      createEndpointService({
        guard: createEndpointGuard({
          resolveHost: async (name) => {
            if (name === 'broken.example.com') throw new Error('SERVFAIL');
            return addresses[name] ?? [];
          },
        }),
      }),
    ),
  ]),
);

test('an allowed URL is returned normalised', async () => {
  const verdict = await client.checkEndpoint({ url: 'https://HOOKS.example.com:443/svc' });
  expect(verdict.allowed).toBe(true);
  expect(verdict.normalizedUrl).toBe('https://hooks.example.com/svc');
  expect(verdict.refusal).toBeUndefined();
});

test.each([
  ['http://hooks.example.com/', /https URL on port 443/],
  ['https://rabbitmq/', /public host name/],
  ['https://private.example.com/', /an address that is not public/],
  ['https://127.0.0.1/', /an address that is not public/],
  ['https://nx.example.com/', /does not resolve/],
  ['https://broken.example.com/', /cannot be resolved now/],
])('the refusal of %s names the rule and no address [CONSOLE-4]', async (url, rule) => {
  const verdict = await client.checkEndpoint({ url });
  expect(verdict).toMatchObject({ allowed: false, refusal: expect.stringMatching(rule) });
  expect(verdict.normalizedUrl).toBeUndefined();
  expect(verdict.refusal).not.toContain('10.0.0.1');
});

test('a request without a URL is invalid_argument', async () => {
  await expect(client.checkEndpoint({})).rejects.toThrow(/url is not given/);
});
