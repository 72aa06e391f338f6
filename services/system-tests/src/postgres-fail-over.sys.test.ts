import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from '@partner/test-kit/backing-services/replicated-postgres';
import { type ServerShare, takeServerShare } from '@partner/test-kit/backing-services/take-server-share';
import { eventually } from '@partner/test-kit/eventually';
import { sendCall } from '@partner/test-kit/http-call';
import { SEED } from '@partner/test-kit/seeded-random';
import { checkHistory } from './deliveries/check-history.js';
import type { Span } from './deliveries/delivery-history.js';
import { playDeliveries, startDeliveryStack } from './deliveries/play-deliveries.js';
import { apiKeyOf, type TestStack } from './support/test-stack.js';

const SPAN_MS = 20_000;
const TIMEOUT_MS = 240_000;

let postgres: ReplicatedPostgres;
let share: ServerShare;
let stack: TestStack;

beforeAll(async () => {
  postgres = await startReplicatedPostgres();
  share = await takeServerShare();
  const { amqpUrl, redisUrl } = share;
  stack = await startDeliveryStack(SEED, { kind: 'given', postgresUrl: postgres.url, amqpUrl, redisUrl });
});

afterAll(async () => {
  await stack.stop();
  await share.release();
  await postgres.remove();
});

/** Fails over and resolves once partners are served again. */
async function failOver(loss: 'dies' | 'hangs'): Promise<Span> {
  const from = Date.now();
  await postgres.failOver(loss);
  const promotedAt = Date.now();
  const headers = { 'x-api-key': apiKeyOf(stack.company('INSTALLER'), 'installer-company') };
  await eventually('partners are served', async () => {
    return (await sendCall(stack.baseUrl, '/partner/v1/technicians', { headers })).status === 200;
  });
  const to = Date.now();
  process.stdout.write(`fail-over: served ${to - promotedAt} ms after the promotion (primary ${loss})\n`);
  return { from, to };
}

test(
  'once a synchronous standby replaces a primary that hangs or dies, every acknowledged write is there once, and its events are delivered [ERROR-10, WEBHOOK-5]',
  async () => {
    const history = await playDeliveries(stack, {
      seed: SEED,
      spanMs: SPAN_MS,
      finishWithinMs: TIMEOUT_MS,
      moves: false,
      faults: async () => {
        const hung = await failOver('hangs');
        await postgres.addStandby();
        return [hung, await failOver('dies')];
      },
    });
    expect(await checkHistory(stack.database, history)).toEqual([]);
  },
  SPAN_MS + TIMEOUT_MS + 300_000,
);
