import { invariant } from '@partner/kernel/process/invariant';
import { z } from 'zod';

/** A JSON object of which the code reads only some fields. */
export type JsonObject = Readonly<Record<string, unknown>>;

export interface ToolSchema {
  readonly [keyword: string]: unknown;
  readonly type: 'object';
  readonly properties: Record<string, object>;
  readonly required: string[];
}

type Fields = Pick<ToolSchema, 'properties' | 'required'>;

const objectSchema = z.object({
  properties: z.record(z.string(), z.looseObject({})),
  required: z.array(z.string()).default([]),
});

/**
 * No schema is taken out as a definition: none has an id in an empty registry. A parameter of a query is text; `override` says what
 * the text stands for, as in the API description.
 */
const INLINE: Parameters<typeof z.toJSONSchema>[1] = {
  io: 'input',
  unrepresentable: 'any',
  cycles: 'throw',
  metadata: z.registry(),
  override({ zodSchema, jsonSchema }) {
    const { id: _id, override, description, ...meta } = z.globalRegistry.get(zodSchema) ?? {};
    if (isJsonObject(override)) {
      for (const keyword of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, keyword);
    }
    Object.assign(jsonSchema, override ?? meta, description !== undefined && { description });
  },
};

/**
 * Returns the JSON Schema of objects that have the fields of all these schemas. Of alternatives it has the fields of all, and requires
 * what each of them requires: several clients accept neither `$ref` nor `oneOf` there. Throws if a schema is not one of objects
 * with named fields.
 */
export function toolSchema(...schemas: readonly (z.ZodType | undefined)[]): ToolSchema {
  const all = schemas
    .filter((schema) => schema !== undefined)
    .map((schema) => fieldsOf(z.toJSONSchema(schema, INLINE)));
  return { type: 'object', ...together(all) };
}

function fieldsOf(schema: unknown): Fields {
  invariant(isJsonObject(schema), 'the input of a tool has a schema');
  const alternatives = schema['oneOf'] ?? schema['anyOf'];
  if (Array.isArray(alternatives)) {
    const each = alternatives.map(fieldsOf);
    const required = each.flatMap((one) => one.required);
    const inAll = (name: string) => each.every((one) => one.required.includes(name));
    return { ...together(each), required: [...new Set(required.filter(inAll))] };
  }
  if (Array.isArray(schema['allOf'])) return together(schema['allOf'].map(fieldsOf));
  const { properties, required } = objectSchema.parse(schema);
  return { properties, required };
}

function together(all: readonly Fields[]): Fields {
  return {
    properties: Object.fromEntries(all.flatMap(({ properties }) => Object.entries(properties))),
    required: all.flatMap(({ required }) => required),
  };
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
