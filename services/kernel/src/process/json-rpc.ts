import { z } from 'zod';
import { validate } from './validation.js';

const request = z.looseObject({ id: z.union([z.string(), z.int()]), method: z.string() });

/** JSON-RPC 2.0: "Invalid params". */
const INVALID_PARAMS = -32_602;

/**
 * Returns the response to a request whose `params` are not those of its method: the error -32602 with the first invalid field.
 * Undefined if they are valid, and for any other message.
 */
export function invalidParamsResponse(message: unknown, schemas: Readonly<Record<string, z.ZodType>>) {
  const read = request.safeParse(message);
  const schema = read.success && Object.hasOwn(schemas, read.data.method) && schemas[read.data.method];
  if (!read.success || !schema) return undefined;
  const checked = validate(schema, message, 'message');
  if (checked.valid) return undefined;
  const text = checked.violations.map(({ path, message: violation }) => `${path}: ${violation}`).join('; ');
  return { jsonrpc: '2.0' as const, id: read.data.id, error: { code: INVALID_PARAMS, message: text } };
}
