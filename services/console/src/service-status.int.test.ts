import { expect, test } from '@jest/globals';
import { serviceStatus } from '@partner/proto-contracts/resources/service-status/service-status';
import { site } from './testing/each-test-console.js';

test('the status needs no session, and requests within 10 seconds share a measurement [CONSOLE-12]', async () => {
  const read = async () => {
    const { text } = await site.request('get', '/partner-api/status').expect(200);
    return serviceStatus.parse(JSON.parse(text));
  };
  const [first, second] = await Promise.all([read(), read()]);
  expect(first).toMatchObject({ status: 'operational', webhookDelayMs: 1 });
  expect(second).toEqual(first);
  site.pass(9_999);
  expect(await read()).toEqual(first);
  site.pass(1);
  expect(await read()).toMatchObject({ webhookDelayMs: 2 });
});
