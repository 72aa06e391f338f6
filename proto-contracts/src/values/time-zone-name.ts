import { createRequire } from 'node:module';
import { z } from 'zod';

// `require`, because Node.js 20 warns about an `import` of JSON.
const require = createRequire(import.meta.url);

const { zones } = z.object({ zones: z.record(z.string(), z.unknown()) }).parse(require('tzdata'));

/**
 * Every name of the tz database by its lower-case spelling. `Factory` is excluded: it means "not set", and no other
 * list has it.
 */
const SPELLINGS: ReadonlyMap<string, string> = new Map(
  Object.keys(zones)
    .filter((name) => name !== 'Factory')
    .map((name) => [name.toLowerCase(), name]),
);

/**
 * An IANA time zone name: a zone or link of the tz database, in its exact spelling, e.g. `America/Chicago`. The list is
 * bundled, so that every machine accepts the same names, whatever its ICU build adds.
 */
export const timeZoneName = z
  .string()
  .max(64)
  .refine((name) => spellingOf(name) === name, { error: ({ input }) => expectation(input) })
  .meta({
    description: 'An IANA time zone name (a zone or link of the tz database) in its exact spelling.',
    examples: ['America/Chicago'],
  });

function spellingOf(name: string): string | undefined {
  return SPELLINGS.get(name.toLowerCase());
}

function expectation(input: unknown): string {
  const spelling = typeof input === 'string' ? spellingOf(input) : undefined;
  return spelling === undefined
    ? 'must be an IANA time zone name, written exactly, e.g. America/Chicago'
    : `must be an IANA time zone name, written exactly: ${spelling}`;
}
