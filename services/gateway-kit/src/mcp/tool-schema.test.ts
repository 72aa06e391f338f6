import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { toolSchema } from './tool-schema.js';

const text = (description: string) => z.string().meta({ description });

test('has the fields of a schema with an id, of its parts and of its alternatives [MCP-10]', () => {
  const span = z.object({ from: text('Start.'), to: text('End.') }).meta({ id: 'Span' });
  const named = z.object({ webhook: text('It.'), spans: z.array(span).optional() }).meta({ id: 'Named' });
  const either = z.xor([
    span.extend({ rate: z.int() }),
    z.object({ ids: z.array(text('One.')), rate: z.int() }),
  ]);
  const schema = toolSchema(
    named,
    either,
    z.intersection(span, z.object({ note: text('Why.') })),
    z.object({}),
  );
  expect(Object.keys(schema.properties)).toEqual(['webhook', 'spans', 'from', 'to', 'rate', 'ids', 'note']);
  expect(schema.required).toEqual(['webhook', 'rate', 'from', 'to', 'note']);
  expect(schema.properties['spans']).toMatchObject({
    items: { properties: { from: { description: 'Start.' } } },
  });
  expect(JSON.stringify(schema)).not.toMatch(/\$ref|oneOf|anyOf|allOf/);
});

test('refuses a schema without fields, so that the tool cannot be served [MCP-10]', () => {
  for (const schema of [z.record(z.string(), z.string()), z.string(), z.any(), z.object({}).or(z.string())])
    expect(() => toolSchema(schema.meta({ id: 'Odd' }))).toThrow();
});
