import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { readStackState } from '@partner/local-stack/stack/stack-state';
import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import { CALL_CONTENT_TYPE } from '@partner/proto-contracts/call';
import { AUTOMATION_OPERATIONS } from '@partner/proto-contracts/surfaces/automation';
import { CONSOLE_OPERATIONS } from '@partner/proto-contracts/surfaces/console';
import { controlRabbitmq, rabbitmqPrograms } from '@partner/test-kit/backing-services/rabbitmq';
import { sendCall } from '@partner/test-kit/http-call';
import { connect, type ConsumeMessage } from 'amqplib';
import { z } from 'zod';
import { spoilt } from './acceptance/requests-of.js';
import { signIn } from './support/owner-session.js';
import { startTestStack, type TestStack } from './support/test-stack.js';
import { consoleRequests, createConsoleSide } from './surfaces/console-side.js';
import { send } from './surfaces/send.js';
import { SURFACE_OPERATIONS } from './surfaces/surface-operations.js';
import { createSurfaceSide } from './surfaces/surface-side.js';
import { validRequest } from './surfaces/valid-request.js';

/** What RabbitMQ publishes about each message that is published, once `rabbitmqctl trace_on` was run. */
const traced = z.object({
  routing_keys: z.tuple([z.string()]),
  properties: z.object({
    type: z.string().optional(),
    content_type: z.string().optional(),
    correlation_id: z.string().optional(),
    reply_to: z.string().optional(),
    headers: z.record(z.string(), z.unknown()).default({}),
  }),
});

type Traced = z.infer<typeof traced> & { readonly body: string };

/** Writes the calls between services, and their replies, as this build makes them, to the file of its argument (`recordedCall`). */
const [file = ''] = process.argv.slice(2);
const world = await startTestStack({ backingServices: { kind: 'private' } });
try {
  const messages = await trace(world);
  await callEverySurface(world);
  writeFileSync(file, JSON.stringify(oneOfEachKind(callsAmong(await messages.stop()))));
} finally {
  await world.stop();
}

async function trace({ stack }: TestStack) {
  const source = readStackState(stack.directory)?.plan.backingServices.rabbitmq;
  if (source?.kind !== 'private') throw new Error('the broker is not the own one of the stack');
  const { port, portMapperPort = 0, distributionPort = 0 } = source;
  const directory = path.join(stack.directory, 'rabbitmq');
  const { controlEnv } = rabbitmqPrograms({ directory, port, portMapperPort, distributionPort });
  await controlRabbitmq(controlEnv, 'rabbitmqctl', 'trace_on');
  const connection = await connect(stack.description.amqpUrl);
  const channel = await connection.createChannel();
  const { queue } = await channel.assertQueue('', { exclusive: true });
  await channel.bindQueue(queue, 'amq.rabbitmq.trace', 'publish.#');
  const messages: Traced[] = [];
  const keep = (message: ConsumeMessage | null) => {
    if (message === null) return;
    messages.push({ ...traced.parse(message.properties.headers), body: message.content.toString() });
  };
  await channel.consume(queue, keep, { noAck: true });
  return {
    async stop(): Promise<readonly Traced[]> {
      await connection.close();
      return messages;
    },
  };
}

async function callEverySurface(stack: TestStack): Promise<void> {
  const side = await createSurfaceSide(stack);
  for (const operation of SURFACE_OPERATIONS) {
    const valid = await validRequest(stack, side, operation);
    for (const request of [valid, valid, spoilt(operation, valid)]) await send(stack.baseUrl, request);
  }
  const company = stack.company('SALES', 1);
  const consoleSide = await createConsoleSide(stack, company);
  // Reads first, what ends the side last.
  const last = ['revokeApiKey', 'removeColleague', 'deleteWebhook', 'endSession', 'deleteSession'];
  const order = ({ id, method }: AnyOperation) => (last.includes(id) ? 2 : method === 'get' ? 0 : 1);
  for (const operation of AUTOMATION_OPERATIONS) {
    for (const { path: target, ...request } of consoleRequests(operation, consoleSide)) {
      await sendCall(stack.baseUrl, target, { ...request, headers: { 'x-api-key': consoleSide.apiKey } });
    }
  }
  const operations = CONSOLE_OPERATIONS.filter(({ id }) => id !== 'streamChanges');
  for (const operation of operations.toSorted((one, other) => order(one) - order(other))) {
    const { headers } = await signIn(stack.baseUrl, company.owner);
    for (const { path: target, ...request } of consoleRequests(operation, consoleSide)) {
      await sendCall(stack.baseUrl, target, { ...request, headers });
    }
  }
}

function callsAmong(messages: readonly Traced[]) {
  const placeOf = (replyTo: string | undefined, { properties }: Traced) =>
    `${replyTo} ${properties.correlation_id}`;
  const replies = new Map(messages.map((message) => [placeOf(message.routing_keys[0], message), message]));
  return messages.flatMap((message) => {
    const { type, content_type: contentType, reply_to: replyTo } = message.properties;
    const reply = replyTo === undefined ? undefined : replies.get(placeOf(replyTo, message));
    if (contentType !== CALL_CONTENT_TYPE || type === undefined || reply === undefined) return [];
    const { 'x-outcome': outcome } = z
      .object({ 'x-outcome': z.string().optional() })
      .parse(reply.properties.headers);
    return [
      {
        queue: message.routing_keys[0],
        id: type,
        call: message.body,
        reply: {
          type: reply.properties.type ?? '',
          contentType: reply.properties.content_type ?? '',
          headers: outcome === undefined ? {} : { 'x-outcome': outcome },
          body: reply.body,
        },
      },
    ];
  });
}

/** The first of the calls of each queue and operation that have the same fields and the same kind of reply. */
function oneOfEachKind(calls: ReturnType<typeof callsAmong>) {
  const names = new Set<string>();
  return calls.filter(({ queue, id, call, reply }) => {
    const fields = [...call.matchAll(/"(\w+)":/g)].map(([, name]) => name);
    const kind = [queue, id, reply.type, ...new Set(fields)].join(' ');
    const isNew = !names.has(kind);
    names.add(kind);
    return isNew;
  });
}
