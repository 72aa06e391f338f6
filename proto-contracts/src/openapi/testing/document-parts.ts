import { z } from 'zod';

/** Every object within a document, itself included. */
export function objectsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? inside : [{ ...value }, ...inside];
}

/** The first example of each field or parameter that has one. */
export const exampleValues = (fields: readonly (readonly [string, object])[]) =>
  Object.fromEntries(
    fields.flatMap(([name, field]) => {
      const { example, examples } = z
        .object({ example: z.unknown(), examples: z.array(z.unknown()).default([]) })
        .partial()
        .parse(field);
      const value = example ?? examples?.[0];
      return value === undefined ? [] : [[name, value]];
    }),
  );
