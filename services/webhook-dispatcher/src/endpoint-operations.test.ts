import { expect, test } from '@jest/globals';
import { checkEndpointOperation } from '@partner/proto-contracts/internal/webhooks/check-endpoint';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { createEndpointGuard } from './endpoint-guard.js';
import { endpointOperations } from './endpoint-operations.js';

const addresses: Record<string, string[]> = {
  'hooks.example.com': ['93.184.215.14'],
  'private.example.com': ['10.0.0.1'],
};
const guard = createEndpointGuard({
  resolveHost: async (name) => {
    if (name === 'broken.example.com') throw new Error('SERVFAIL');
    return addresses[name] ?? [];
  },
});
const operations = inProcessOperations({
  implementations: endpointOperations({ guard }),
  callers: ['service'],
});
const check = (url: string) => operations.callInternal(checkEndpointOperation, { url });

test('an allowed URL is returned normalised', async () => {
  expect(await check('https://HOOKS.example.com:443/svc')).toEqual({
    normalizedUrl: 'https://hooks.example.com/svc',
  });
});

test.each([
  ['http://hooks.example.com/', /https URL on port 443/],
  ['https://rabbitmq/', /public host name/],
  ['https://private.example.com/', /is not reachable from the internet/],
  ['https://127.0.0.1/', /is not reachable from the internet/],
  ['https://nx.example.com/', /does not resolve/],
  ['https://broken.example.com/', /cannot be resolved now/],
])('the refusal of %s names the rule and no address [CONSOLE-4]', async (url, rule) => {
  const verdict = await check(url);
  expect(verdict).toEqual({ refusal: expect.stringMatching(rule) });
  expect(JSON.stringify(verdict)).not.toContain('10.0.0.1');
});
