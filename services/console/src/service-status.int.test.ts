import { expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { serviceStatus } from '@partner/proto-contracts/resources/service-status/service-status';
import { site } from './testing/each-test-console.js';

test('the status needs no session, and requests within 4 seconds share a measurement [CONSOLE-12]', async () => {
  const read = async () => {
    const { text } = await site.request('get', '/partner-api/status').expect(200);
    return serviceStatus.parse(JSON.parse(text));
  };
  const measured = () =>
    site.jobState.called.filter(({ operation }) => operation === 'measureServiceStatus').length;
  const [first, second] = await Promise.all([read(), read()]);
  expect(first.checkedAt).toBe(site.now().toISOString());
  expect(second).toEqual(first);
  site.pass(3_999);
  expect(await read()).toEqual(first);
  expect(measured()).toBe(1);
  site.pass(1);
  expect((await read()).checkedAt).toBe(site.now().toISOString());
  expect(measured()).toBe(2);
});

test('anyone reads the addresses and the public keys of webhooks, and may cache them [SECRET-14, WEBHOOK-18]', async () => {
  const read = async (path: string): Promise<unknown> => {
    const request = site.request('get', path).expect(200).expect('cache-control', 'public, max-age=300');
    return JSON.parse((await request).text);
  };
  expect(await read('/.well-known/webhooks')).toEqual({ egressAddresses: ['192.0.2.10/32'] });
  expect(await read(`/.well-known/webhooks/${newId('whk')}`)).toEqual({
    keys: [{ publicKey: expect.stringMatching(/^whpk_/), signs: true }],
  });
  await site.request('get', '/.well-known/webhooks/whk_1').expect(404).expect('cache-control', 'no-store');
});
