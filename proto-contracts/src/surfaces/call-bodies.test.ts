import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { AUTOMATION_OPERATIONS } from './automation.js';
import { CONSOLE_CALLS, CONSOLE_OPERATIONS } from './console.js';
import { INBOUND_CALLS, INBOUND_OPERATIONS } from './inbound.js';
import { INSTALLER_CALLS, INSTALLER_OPERATIONS } from './installer.js';
import { OPERATOR_CALLS, OPERATOR_OPERATIONS } from './operators.js';

const PUBLIC = [
  ...[...CONSOLE_OPERATIONS, ...AUTOMATION_OPERATIONS],
  ...[...INBOUND_OPERATIONS, ...INSTALLER_OPERATIONS],
];
const CALLS = [...CONSOLE_CALLS, ...INBOUND_CALLS, ...INSTALLER_CALLS, ...OPERATOR_CALLS];

/** The types of a schema, without what a missing field means. */
function typesOf(schema: z.ZodType, io: 'input' | 'output'): unknown {
  const json = JSON.stringify(
    z.toJSONSchema(schema, { io, unrepresentable: 'any' }),
    (name, value: unknown) =>
      ['required', 'additionalProperties', 'default'].includes(name) ? undefined : value,
  );
  return JSON.parse(json);
}

// The caller sends what the schema returned, and the process that it calls parses that again.
test.each([
  ...PUBLIC.flatMap(({ id, body }) => (body === undefined ? [] : [[id, body] as const])),
  ...CALLS.map(({ id, input }) => [id, input] as const),
])('the schema of %s returns the types that it accepts', (_id, schema: z.ZodType) => {
  expect(typesOf(schema, 'output')).toEqual(typesOf(schema, 'input'));
});

test.each(
  PUBLIC.flatMap(({ id, body = z.never(), bodyExamples = {} }) =>
    Object.entries(bodyExamples).map(([name, { value }]) => [id, name, body, value] as const),
  ),
)('the body of %s is the same after it is parsed again: %s', (_id, _name, body: z.ZodType, value) => {
  const once = body.parse(value);
  expect(body.parse(JSON.parse(JSON.stringify(once)))).toEqual(once);
});

test('the id of an operation is unique over all surfaces', () => {
  const operations = new Set<{ readonly id: string }>([...PUBLIC, ...OPERATOR_OPERATIONS, ...CALLS]);
  expect(new Set([...operations].map(({ id }) => id)).size).toBe(operations.size);
});
