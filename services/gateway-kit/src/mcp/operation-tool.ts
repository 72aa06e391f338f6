import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import { invariant } from '@partner/kernel/process/invariant';
import { invalidArgument, validate } from '@partner/kernel/process/validation';
import { z } from 'zod';
import { type JsonObject, toolSchema } from './tool-schema.js';
import type { ReadingToolName, Tool } from './tool.js';

const ID_LENGTH = 200;

/**
 * Creates the tool that is a reading operation: its input is the path's and the query's, its result the operation's body. An
 * assistant reads `pageSize` items of a page unless it asks for more, because they take room in its context.
 */
export function operationTool(name: ReadingToolName, operation: AnyOperation, pageSize?: number): Tool {
  const { scope, summary, description, query } = operation;
  invariant(scope, 'the operation of a tool needs a scope');
  invariant(operation.method === 'get', 'the operation of a tool only reads');
  const params = z.object(
    Object.fromEntries(
      Object.entries(operation.params ?? {}).map(([param, { description: meaning }]) => [
        param,
        z.string().min(1).max(ID_LENGTH).meta({ description: meaning }),
      ]),
    ),
  );
  const schema = toolSchema(params, query);
  const { limit } = schema.properties;
  return {
    name,
    title: summary,
    description: description.trim(),
    scope,
    isReadOnly: true,
    inputSchema:
      pageSize === undefined
        ? schema
        : { ...schema, properties: { ...schema.properties, limit: { ...limit, default: pageSize } } },
    call(given, { perform }) {
      const checked = validate(params, given, 'arguments');
      if (!checked.valid) throw invalidArgument(checked.violations);
      const paged = pageSize === undefined ? {} : { limit: String(pageSize) };
      return perform(operation, { params: checked.value, query: { ...paged, ...queryOf(given) } });
    },
  };
}

/** The arguments as a query carries them. Validation refuses a list or an object, which a query cannot hold. */
function queryOf(given: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}
