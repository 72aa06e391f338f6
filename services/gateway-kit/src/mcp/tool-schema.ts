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
 * Returns the JSON Schema of objects that have the fields of all these schemas. Of alternatives it has the fields of all, and requires
 * what each of them requires: several clients accept neither `$ref` nor `oneOf` there. Throws if a schema is not one of objects
 * with named fields.
 */
export function toolSchema(...schemas: readonly (z.ZodType | undefined)[]): ToolSchema {
  const all = schemas
    .filter((schema) => schema !== undefined)
    .map((schema) => {
      const json: JsonObject = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
      const { $defs, ...root } = json;
      return fieldsOf(inlined(root, isJsonObject($defs) ? $defs : {}, []));
    });
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
  const fields = Object.entries(properties).map(([name, field]) => [name, described(field)] as const);
  return { properties: Object.fromEntries(fields), required };
}

function together(all: readonly Fields[]): Fields {
  return {
    properties: Object.fromEntries(all.flatMap(({ properties }) => Object.entries(properties))),
    required: all.flatMap(({ required }) => required),
  };
}

/** A part of a schema with each reference replaced by what it names. */
function inlined(part: unknown, definitions: JsonObject, within: readonly string[]): unknown {
  if (Array.isArray(part)) return part.map((each) => inlined(each, definitions, within));
  if (!isJsonObject(part)) return part;
  const { $ref, ...rest } = part;
  const own = Object.fromEntries(
    Object.entries(rest).map(([keyword, value]) => [keyword, inlined(value, definitions, within)]),
  );
  if (typeof $ref !== 'string') return own;
  const name = $ref.replace(/^#\/\$defs\//, '');
  const definition = definitions[name];
  invariant(definition !== undefined && !within.includes(name), `${$ref} is defined, without a cycle`);
  const named = inlined(definition, definitions, [...within, name]);
  return isJsonObject(named) ? { ...named, ...own } : named;
}

/** A parameter of a query is text; `override` says what the text stands for, as in the API description. */
function described({ override, description, ...rest }: JsonObject): object {
  const shown = isJsonObject(override) ? override : rest;
  return { ...shown, ...(description === undefined ? {} : { description }) };
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
