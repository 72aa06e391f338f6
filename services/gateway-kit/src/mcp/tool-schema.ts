import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../api-versions.js';

/** JSON Schema of a tool's input. */
export interface ToolSchema {
  readonly [keyword: string]: unknown;
  readonly type: 'object';
  readonly properties: Record<string, object>;
  readonly required: string[];
}

const objectSchema = z.object({
  properties: z.record(z.string(), z.looseObject({})).default({}),
  required: z.array(z.string()).default([]),
});

/** Returns the JSON Schema of objects that have the fields of all these schemas. */
export function toolSchema(...schemas: readonly (z.ZodType | undefined)[]): ToolSchema {
  const all = schemas
    .filter((schema) => schema !== undefined)
    .map((schema) => objectSchema.parse(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })));
  const fields = all.flatMap(({ properties }) => Object.entries(properties));
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, described(field)])),
    required: all.flatMap(({ required }) => required),
  };
}

/** A parameter of a query is text; `override` says what the text stands for, as in the API description. */
function described({ override, description, ...rest }: JsonObject): object {
  const shown = isJsonObject(override) ? override : rest;
  return { ...shown, ...(description === undefined ? {} : { description }) };
}
