import { expect, test } from '@jest/globals';
import type { Caller } from '@partner/proto-contracts/call';
import { defineInternalOperation } from '@partner/proto-contracts/api/operation';
import { recordStatusEventOperation } from '@partner/proto-contracts/resources/job/operations';
import { RELEASE_0_1_0 } from '@partner/test-kit/release-0-1-0';
import { eventually } from '@partner/test-kit/eventually';
import { z } from 'zod';
import { currentRequestId, runWithRequestId } from '../telemetry/request-context.js';
import {
  clientSide,
  logger,
  metrics,
  openRawClient,
  queue,
  REPLY_TO,
  serverSide,
} from '../testing/rpc-over-broker.js';
import { type Implementation, implement, implementInternal } from './implement.js';
import { createOperationClient } from './operation-client.js';
import { createRpcClient } from './rpc-client.js';
import { startRpcServer } from './rpc-server.js';

const caller: Caller = { kind: 'key', companyId: 'cmp_1', companyClass: 'INSTALLER', keyId: 'key_1' };
const wait = defineInternalOperation({
  id: 'wait',
  repeatable: false,
  input: z.object({}),
  output: z.object({}),
});

/** Serves operations on the queue, and calls them. */
async function serve(implementations: readonly Implementation[]) {
  const operations = { implementations, callers: ['key', 'service'] as const };
  const server = startRpcServer({ connection: serverSide, queue, prefetch: 5, operations, logger, metrics });
  const client = createRpcClient({ connection: clientSide, queue, logger, metrics });
  await eventually('both sides', () => server.isConsuming() && clientSide.isReady());
  return createOperationClient(client);
}

const sent = {
  caller,
  params: { id: 'job_1' },
  body: { status: 'ACKNOWLEDGED', occurredAt: '2026-09-01T11:59:00Z', expectedVersion: 1 },
  idempotencyKey: { key: 'event:1', request: 'POST /jobs', bodySha256: '00'.repeat(32) },
};

test('a call reaches its use case on behalf of the request, and its reply says what the use case says', async () => {
  const idempotency = { replayed: false, expiresAt: new Date('2026-10-16T12:00:00Z') };
  const { call } = await serve([
    implement(recordStatusEventOperation, async ({ body, params }) => ({
      json: JSON.stringify([currentRequestId(), params.id, body.status]),
      idempotency,
    })),
  ]);
  const reply = await runWithRequestId('req-1', () =>
    call(recordStatusEventOperation, sent, { timeoutMs: 4_000 }),
  );
  expect(reply).toEqual({ json: '["req-1","job_1","ACKNOWLEDGED"]', idempotency });
  expect(await metrics.metrics()).toContain('method="recordStatusEvent",outcome="ok"');
});

test('a call that is not served by its deadline has an unknown outcome', async () => {
  const { callInternal } = await serve([implementInternal(wait, () => new Promise(() => undefined))]);
  await expect(callInternal(wait, {}, { timeoutMs: 20 })).rejects.toMatchObject({
    reason: 'unavailable',
    message: expect.stringContaining('the outcome is unknown'),
  });
});

test('a call of release 0.1.0 is refused as that release understands it, and never executed', async () => {
  let executed = 0;
  await serve([
    implement(recordStatusEventOperation, async () => {
      executed += 1;
      return { json: '{}' };
    }),
  ]);
  const { replies, send } = await openRawClient();
  const { type, base64 } = RELEASE_0_1_0.call;
  send(Buffer.from(base64, 'base64'), { type, replyTo: REPLY_TO, correlationId: '1' });
  expect(await replies.atLeast(1)).toEqual([RELEASE_0_1_0.unknownCallReply.type]);
  expect(executed).toBe(0);
});
