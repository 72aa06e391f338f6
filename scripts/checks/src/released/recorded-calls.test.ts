import { expect, test } from '@jest/globals';
import { CALL_CONTENT_TYPE, operationCall } from '@partner/proto-contracts/call';
import { unsignedEvents } from '@partner/proto-contracts/internal/events/unsigned-events';
import { createdWebhookId } from '@partner/proto-contracts/resources/subscription/subscription';
import { type Implementation, implement, implementInternal } from '@partner/kernel/amqp/implement';
import { type OperationReply, readReply } from '@partner/kernel/amqp/operation-call';
import { operationHandlers } from '@partner/kernel/amqp/operation-dispatch';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import type { z } from 'zod';
import { SURFACES } from './described-calls.js';
import { type RecordedCall, readRelease } from './last-release.js';

const recorded = readRelease(PROJECT_ROOT).recordedCalls.map(
  (call) => [`${call.queue} ${call.id}, ${call.reply.type}`, call] as const,
);

/** What a gateway reads of public operations; any other reply it passes on. */
const READ_BY_GATEWAYS: Readonly<Record<string, z.ZodType>> = {
  createWebhook: createdWebhookId,
  listInboundEvents: unsignedEvents,
  listInstallerEvents: unsignedEvents,
};

test('the last release has recorded calls of every queue but that of the operators', () => {
  const queues = SURFACES.filter(({ name }) => name !== 'operators').map(({ queue }) => queue);
  expect(new Set(recorded.map(([, { queue }]) => queue))).toEqual(new Set(queues));
});

test.each(recorded)(
  'a gateway of the last release gets from this one what it got: %s',
  async (_title, call) => {
    const received: unknown[] = [];
    const { caller, body } = operationCall.parse(JSON.parse(call.call));
    const implementations = [implementationOf(call, (input) => received.push(input))];
    const handlers = operationHandlers({ implementations, callers: [caller.kind] });
    const handler = handlers({ type: call.id, contentType: CALL_CONTENT_TYPE });
    const reply = await handler.run(Buffer.from(call.call), () => undefined);
    expect(received).toEqual([body]);
    const { error, headers = {}, body: replied, ...rest } = { error: undefined, ...reply };
    expect({ headers, ...rest, body: valueOf(replied) }).toEqual({
      ...call.reply,
      body: valueOf(call.reply.body),
    });
    expect(error === undefined).toBe(call.reply.type === 'ok');
  },
);

const read = recorded.flatMap(([title, call]) => {
  const schema = servedAs(call).internal?.output ?? READ_BY_GATEWAYS[call.id];
  return schema === undefined || call.reply.type !== 'ok' ? [] : [[title, call, schema] as const];
});
test.each(read)('a gateway of this release reads the reply of the last one: %s', (_title, call, schema) => {
  const { json } = replyOf(call);
  expect(schema.parse(JSON.parse(json))).toEqual(JSON.parse(json));
});

function valueOf(body: string | Uint8Array): unknown {
  const text = Buffer.from(body).toString();
  return text === '' ? undefined : JSON.parse(text);
}

function implementationOf(call: RecordedCall, receive: (input: unknown) => void): Implementation {
  const { operation, internal } = servedAs(call);
  if (internal !== undefined) {
    return implementInternal(internal, async (input) => {
      receive(input);
      return internal.output.parse(JSON.parse(replyOf(call).json));
    });
  }
  if (operation === undefined) throw new Error(`${call.queue} no longer serves ${call.id}`);
  return implement(operation, async ({ body }) => {
    receive(body);
    return replyOf(call);
  });
}

function servedAs({ queue, id }: RecordedCall) {
  const surface = SURFACES.find((candidate) => candidate.queue === queue);
  return {
    operation: surface?.operations.find((operation) => operation.id === id),
    internal: surface?.calls.find((operation) => operation.id === id),
  };
}

function replyOf({ id, reply }: RecordedCall): OperationReply {
  return readReply(id, { ...reply, body: Buffer.from(reply.body) });
}
