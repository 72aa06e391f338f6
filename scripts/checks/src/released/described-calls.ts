import {
  type AnyOperation,
  type InternalOperation,
  isRepeatable,
  type Operation,
} from '@partner/proto-contracts/api/operation';
import { callError, callOutcome, operationCall } from '@partner/proto-contracts/call';
import { unsignedEvents } from '@partner/proto-contracts/internal/events/unsigned-events';
import { CONSOLE_CALLS, CONSOLE_OPERATIONS } from '@partner/proto-contracts/surfaces/console';
import { DISPATCHER_CALLS } from '@partner/proto-contracts/surfaces/dispatcher';
import { INBOUND_CALLS, INBOUND_OPERATIONS } from '@partner/proto-contracts/surfaces/inbound';
import { INSTALLER_CALLS, INSTALLER_OPERATIONS } from '@partner/proto-contracts/surfaces/installer';
import { OPERATOR_CALLS, OPERATOR_OPERATIONS } from '@partner/proto-contracts/surfaces/operators';
import {
  JOB_STATE_INBOUND_RPC,
  JOB_STATE_INSTALLER_RPC,
  JOB_STATE_MANAGEMENT_RPC,
  JOB_STATE_OPERATOR_RPC,
  type QueueDefinition,
  WEBHOOK_DISPATCHER_RPC,
} from '@partner/proto-contracts/topology';
import { z } from 'zod';

export interface DescribedCall {
  readonly name: string;
  readonly repeatable?: boolean;
  readonly input?: z.ZodType;
  readonly output?: z.ZodType;
}

type Calls = readonly InternalOperation<unknown, unknown>[];

const surface = (
  name: string,
  { name: queue }: QueueDefinition,
  operations: readonly AnyOperation[],
  calls: Calls,
) => ({
  name,
  queue,
  operations,
  calls,
});

/** What each queue of calls serves. */
export const SURFACES = [
  surface('inbound', JOB_STATE_INBOUND_RPC, INBOUND_OPERATIONS, INBOUND_CALLS),
  surface('installer', JOB_STATE_INSTALLER_RPC, INSTALLER_OPERATIONS, INSTALLER_CALLS),
  surface('console', JOB_STATE_MANAGEMENT_RPC, CONSOLE_OPERATIONS, CONSOLE_CALLS),
  surface('operators', JOB_STATE_OPERATOR_RPC, OPERATOR_OPERATIONS, OPERATOR_CALLS),
  surface('dispatcher', WEBHOOK_DISPATCHER_RPC, [], DISPATCHER_CALLS),
];

export function allCalls(): readonly DescribedCall[] {
  return [
    { name: 'call', input: operationCall, output: callOutcome },
    { name: 'failed call', output: callError },
    { name: 'events without signatures', output: unsignedEvents },
    ...SURFACES.flatMap(({ name: surface, operations, calls }) =>
      [...operations.map(publicCall), ...calls].map((call) => ({ ...call, name: `${surface}/${call.id}` })),
    ),
  ];
}

function publicCall(operation: Operation<unknown, unknown>) {
  const { id, params = {}, query = z.object({}), body = z.object({}) } = operation;
  const named = z.object(Object.fromEntries(Object.keys(params).map((name) => [name, z.string()])));
  return { id, repeatable: isRepeatable(operation), input: z.object({ params: named, query, body }) };
}

/**
 * Returns the calls as a description that `breakingApiChanges` compares. Releases are mixed in both directions during an upgrade, so each
 * call is described twice: as a newer process serves it, and as a newer process makes it. A field may be added if it is optional.
 */
export function describeCalls(calls: readonly DescribedCall[]): unknown {
  const schemas: Record<string, unknown> = {};
  const contentOf = (schema: z.ZodType = z.object({})) => {
    const text = JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
    const { $defs = {}, ...json } = z
      .looseObject({ $defs: z.record(z.string(), z.unknown()).optional() })
      .parse(JSON.parse(text.replaceAll('#/$defs/', '#/components/schemas/')));
    Object.assign(schemas, $defs);
    return { content: { 'application/json': { schema: json } } };
  };
  const exchange = (operationId: string, sent?: z.ZodType, returned?: z.ZodType) => ({
    post: {
      operationId,
      requestBody: { required: true, ...contentOf(sent) },
      responses: { 200: { description: '', ...contentOf(returned) } },
    },
  });
  const paths = Object.fromEntries(
    calls.flatMap(({ name, repeatable = false, input, output }): [string, unknown][] => [
      [`/${name}`, exchange(name, input, output)],
      [`/${name}, made`, exchange(`${name}, made`, output, input)],
      [`/${name}, repeated`, repeatable ? exchange(`${name}, repeated`) : {}],
    ]),
  );
  return { components: { schemas }, paths, webhooks: {} };
}
