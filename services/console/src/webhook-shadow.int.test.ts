import { expect, test } from '@jest/globals';
import { webhookShadowState } from '@partner/proto-contracts/resources/shadow/shadow';
import { createWebhook, expectStatus, WEBHOOKS } from './testing/each-test-console.js';
import { cookie, send } from './testing/signed-in-console.js';

test('a webhook has a shadow that is started, compared and stopped [SHADOW-1, SHADOW-5]', async () => {
  const id = await createWebhook(cookie);
  const url = 'https://receiver.example/v2';
  const read = async () =>
    webhookShadowState.parse((await send('get', `${WEBHOOKS}/${id}/shadow`).expect(200)).body);
  expect(await read()).toEqual({ shadow: null });
  await expectStatus(404, send('post', `${WEBHOOKS}/${id}/shadow/stop`));
  const started = await send('post', `${WEBHOOKS}/${id}/shadow`, { url, percent: 10 }).expect(202);
  expect(started.body).toMatchObject({ url, percent: 10, state: 'testing' });
  expect((await read()).shadow).toEqual(started.body);
  const stopped = await send('post', `${WEBHOOKS}/${id}/shadow/stop`).expect(200);
  expect(stopped.body).toMatchObject({ url, state: 'ended' });
});
