import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { LIMITS } from '../api/limits.js';
import type { AnyOperation } from '../api/operation.js';
import { CUSTOM_HEADER_LIMITS } from '../resources/subscription/custom-headers.js';
import { AUTOMATION_OPERATIONS } from './automation.js';
import { CONSOLE_OPERATIONS } from './console.js';
import { INBOUND_OPERATIONS } from './inbound.js';
import { INSTALLER_OPERATIONS } from './installer.js';

/** Bytes of a character of most texts: of a letter beyond ASCII, or of an escaped quote. */
const CHARACTER_BYTES = 2;
/** Bytes of a character that a client escapes as `\uXXXX`, and texts that may hold nothing else. */
const ESCAPED_BYTES = 6;
const ESCAPED: ReadonlySet<string> = new Set(['password', 'currentPassword', 'newPassword', 'email', 'code']);
/** Characters of a text whose schema has another bound than a length: names of events, dates, URLs. */
const LENGTHS: Readonly<Record<string, number>> = { event: 50, url: 2_048 };
const OTHER_LENGTH = 40;
/** Texts that hold only ASCII. */
const ASCII: ReadonlySet<string> = new Set(['query', 'returnTo', 'name', 'value']);

const jsonSchema = z.object({
  $ref: z.string().optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  type: z.string().optional(),
  maxLength: z.number().optional(),
  maxItems: z.number().optional(),
  get $defs() {
    return z.record(z.string(), jsonSchema).optional();
  },
  get anyOf() {
    return z.array(jsonSchema).optional();
  },
  get oneOf() {
    return z.array(jsonSchema).optional();
  },
  get items() {
    return jsonSchema.optional();
  },
  get properties() {
    return z.record(z.string(), jsonSchema).optional();
  },
});
type Schema = z.infer<typeof jsonSchema>;

interface Size {
  readonly bytes: number;
  readonly tokens: number;
}

/** The size of the largest body that a schema accepts. */
function largestBody(operation: AnyOperation): Size {
  const { $defs = {}, ...root } = jsonSchema.parse(
    z.toJSONSchema(operation.body ?? z.never(), { io: 'input', unrepresentable: 'any' }),
  );

  function definition(reference: string): Schema {
    const found = $defs[reference.split('/').at(-1) ?? ''];
    if (found === undefined) throw new Error(`${operation.id}: there is no ${reference}`);
    return found;
  }

  function largest(schema: Schema, name: string): Size {
    if (schema.$ref !== undefined) return largest(definition(schema.$ref), name);
    const choices = schema.anyOf ?? schema.oneOf ?? [];
    if (choices.length > 0) return maxOf(choices.map((choice) => largest(choice, name)));
    const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
    if (values.length > 0)
      return maxOf(values.map((value) => ({ bytes: JSON.stringify(value).length, tokens: 1 })));
    switch (schema.type) {
      case 'string': {
        const characters = schema.maxLength ?? LENGTHS[name] ?? OTHER_LENGTH;
        const bytes = ASCII.has(name) ? 1 : ESCAPED.has(name) ? ESCAPED_BYTES : CHARACTER_BYTES;
        return { bytes: 2 + characters * bytes, tokens: 1 };
      }
      case 'array': {
        const items = schema.maxItems;
        if (items === undefined) throw new Error(`${operation.id}: ${name} needs a maximum of items`);
        // Only their number is bounded one by one.
        if (name === 'headers') {
          const { bytes, nameLength, headers } = CUSTOM_HEADER_LIMITS;
          return { bytes: bytes * CHARACTER_BYTES + headers * nameLength + items * 24, tokens: items * 10 };
        }
        const item = largest(schema.items ?? root, name.replace(/s$/, ''));
        return { bytes: 2 + items * (item.bytes + 1), tokens: 2 + items * (item.tokens + 1) };
      }
      case 'object': {
        const members = Object.entries(schema.properties ?? {}).map(([key, value]) => {
          const { bytes, tokens } = largest(value, key);
          return { bytes: bytes + key.length + 4, tokens: tokens + 3 };
        });
        return members.reduce(add, { bytes: 2, tokens: 2 });
      }
      default:
        return { bytes: 20, tokens: 1 };
    }
  }
  return largest(root, 'body');
}

const add = (one: Size, other: Size): Size => ({
  bytes: one.bytes + other.bytes,
  tokens: one.tokens + other.tokens,
});
const maxOf = (sizes: readonly Size[]): Size => ({
  bytes: Math.max(...sizes.map(({ bytes }) => bytes)),
  tokens: Math.max(...sizes.map(({ tokens }) => tokens)),
});

const withBody = (operations: readonly AnyOperation[]) =>
  operations.filter(({ body }) => body !== undefined).map((operation) => [operation.id, operation] as const);

describe('the largest valid body', () => {
  test.each(withBody(CONSOLE_OPERATIONS))(
    'of %s fits the limit of its operation [LIMIT-5]',
    (_id, operation) => {
      const limit = operation.maxBodyBytes ?? LIMITS.consoleBodyBytes;
      expect(largestBody(operation).bytes).toBeLessThanOrEqual(limit);
      if (operation.unauthenticated === true) expect(limit).toBe(8_192);
    },
  );

  test.each(
    withBody([
      ...[...CONSOLE_OPERATIONS, ...AUTOMATION_OPERATIONS],
      ...[...INBOUND_OPERATIONS, ...INSTALLER_OPERATIONS],
    ]),
  )(
    'of %s has an eighth of the tokens of a body, half of them if it is a file [HTTP-21]',
    (id, operation) => {
      const isFile = ['planWebhooks', 'proposeWebhooks'].includes(id);
      expect(largestBody(operation).tokens).toBeLessThanOrEqual(isFile ? 10_000 : 2_500);
    },
  );
});
