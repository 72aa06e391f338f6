import { defineInternalOperation } from '@partner/proto-contracts/api/operation';
import { z } from 'zod';
import { type CallContext, implementInternal } from '../amqp/implement.js';
import type { CallOptions } from '../amqp/operation-client.js';
import type { ServedOperations } from '../amqp/operation-dispatch.js';
import { createRpcClient, type RpcClientOptions } from '../amqp/rpc-client.js';

const input = z.object({ jobId: z.string().optional() });
const output = z.object({ resourceJson: z.string() });

/** A call that may run again. */
export const getJobCall = defineInternalOperation({ id: 'testGetJob', repeatable: true, input, output });

/** A call that must not run again. */
const addNoteCall = defineInternalOperation({ id: 'testAddNote', repeatable: false, input, output });

type Input = z.infer<typeof input>;
export type TestCall = (input: Input, context: CallContext) => Promise<{ resourceJson: string }>;

export function testOperations(calls: {
  readonly getJob?: TestCall;
  readonly addNote?: TestCall;
}): ServedOperations {
  const { getJob, addNote } = calls;
  return {
    implementations: [
      ...(getJob === undefined ? [] : [implementInternal(getJobCall, getJob)]),
      ...(addNote === undefined ? [] : [implementInternal(addNoteCall, addNote)]),
    ],
    callers: ['service'],
  };
}

export type TestClient = ReturnType<typeof createTestClient>;

export function createTestClient(options: RpcClientOptions) {
  const { callInternal } = createRpcClient(options);
  return {
    getJob: (given: Input, call?: CallOptions) => callInternal(getJobCall, given, call),
    addNote: (given: Input, call?: CallOptions) => callInternal(addNoteCall, given, call),
  };
}
