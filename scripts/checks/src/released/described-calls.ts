import { type InternalOperation, isRepeatable, type Operation } from '@partner/proto-contracts/api/operation';
import { callError, callOutcome, operationCall } from '@partner/proto-contracts/call';
import { unsignedEvents } from '@partner/proto-contracts/internal/events/unsigned-events';
import { CONSOLE_CALLS, CONSOLE_OPERATIONS } from '@partner/proto-contracts/surfaces/console';
import { INBOUND_CALLS, INBOUND_OPERATIONS } from '@partner/proto-contracts/surfaces/inbound';
import { INSTALLER_CALLS, INSTALLER_OPERATIONS } from '@partner/proto-contracts/surfaces/installer';
import { OPERATOR_CALLS, OPERATOR_OPERATIONS } from '@partner/proto-contracts/surfaces/operators';
import { z } from 'zod';

export interface DescribedCall {
  /** The surface and the id. */
  readonly name: string;
  readonly repeatable?: boolean;
  readonly input?: z.ZodType;
  readonly output?: z.ZodType;
}

/** Every call between services, and what all of them have in common. */
export function allCalls(): readonly DescribedCall[] {
  return [
    { name: 'call', input: operationCall, output: callOutcome },
    { name: 'failed call', output: callError },
    { name: 'events without signatures', output: unsignedEvents },
    ...[...INBOUND_OPERATIONS.map(publicCall), ...INBOUND_CALLS.map(internalCall)].map(of('inbound')),
    ...[...INSTALLER_OPERATIONS.map(publicCall), ...INSTALLER_CALLS.map(internalCall)].map(of('installer')),
    ...[...CONSOLE_OPERATIONS.map(publicCall), ...CONSOLE_CALLS.map(internalCall)].map(of('console')),
    ...[...OPERATOR_OPERATIONS.map(publicCall), ...OPERATOR_CALLS.map(internalCall)].map(of('operators')),
  ];
}

const of =
  (surface: string) =>
  (call: DescribedCall): DescribedCall => ({ ...call, name: `${surface}/${call.name}` });

/** The description of the API has its responses. */
function publicCall(operation: Operation<unknown, unknown>): DescribedCall {
  const { id, params = {}, query = z.object({}), body = z.object({}) } = operation;
  const named = z.object(Object.fromEntries(Object.keys(params).map((name) => [name, z.string()])));
  return {
    name: id,
    repeatable: isRepeatable(operation),
    input: z.object({ params: named, query, body }),
  };
}

function internalCall({ id, repeatable, input, output }: InternalOperation<unknown, unknown>): DescribedCall {
  return { name: id, repeatable, input, output };
}

/**
 * Returns the calls as a description that `breakingApiChanges` compares. Releases are mixed in both directions during an upgrade, so each
 * call is described twice: as a newer process serves it, and as a newer process makes it. A field may be added if it is optional.
 */
export function describeCalls(calls: readonly DescribedCall[]): unknown {
  const schemas: Record<string, unknown> = {};
  const contentOf = (schema: z.ZodType = z.object({})) => {
    const { $defs = {}, ...json } = z
      .looseObject({ $defs: z.record(z.string(), z.unknown()).optional() })
      .parse(
        JSON.parse(
          JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })).replaceAll(
            '#/$defs/',
            '#/components/schemas/',
          ),
        ),
      );
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
