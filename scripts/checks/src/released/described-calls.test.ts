import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { breakingApiChanges } from './api-changes.js';
import { allCalls, type DescribedCall, describeCalls } from './described-calls.js';

const input = { id: z.string(), kind: z.enum(['job', 'lead']), limit: z.int().optional() };
const output = { companyId: z.string(), state: z.enum(['open', 'done']) };
const released: DescribedCall = {
  ...{ name: 'operators/find', repeatable: true },
  ...{ input: z.object(input), output: z.object(output) },
};

const changesOf = (...calls: readonly DescribedCall[]) =>
  breakingApiChanges(describeCalls([released]), describeCalls(calls));

test.each<[string, readonly DescribedCall[]]>([
  ['the removal of a call', []],
  ['another name', [{ ...released, name: 'operators/search' }]],
  ['a call that is no longer repeatable', [{ ...released, repeatable: false }]],
  ['a required field of the input', [{ ...released, input: z.object({ ...input, of: z.string() }) }]],
  ['a removed field of the input', [{ ...released, input: z.object(input).omit({ kind: true }) }]],
  ['another type', [{ ...released, input: z.object({ ...input, id: z.int() }) }]],
  [
    'a value of the input that is gone',
    [{ ...released, input: z.object({ ...input, kind: z.enum(['job']) }) }],
  ],
  ['a smaller maximum', [{ ...released, input: z.object({ ...input, id: z.string().max(3) }) }]],
  ['a removed field of the output', [{ ...released, output: z.object(output).omit({ state: true }) }]],
  [
    'a new value of the output',
    [{ ...released, output: z.object({ ...output, state: z.enum(['open', 'done', 'new']) }) }],
  ],
  ['a required field of the output', [{ ...released, output: z.object({ ...output, more: z.string() }) }]],
])('%s breaks a mixed upgrade', (_what, calls) => {
  expect(changesOf(...calls)).not.toEqual([]);
});

test('optional fields and further calls break nothing', () => {
  const wider = {
    ...released,
    input: z.object({ ...input, of: z.string().optional() }),
    output: z.object({ ...output, more: z.string().optional(), later: z.int().default(1) }),
  };
  expect(changesOf(wider, { ...released, name: 'operators/other' })).toEqual([]);
});

test('every reference leads to a schema', () => {
  const text = JSON.stringify(describeCalls(allCalls()));
  const names = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name);
  const { components } = z
    .object({ components: z.object({ schemas: z.record(z.string(), z.unknown()) }) })
    .parse(JSON.parse(text));
  expect(names.filter((name) => name === undefined || !(name in components.schemas))).toEqual([]);
});
