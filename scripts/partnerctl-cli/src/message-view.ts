import {
  ScalarType,
  type DescField,
  type DescMessage,
  type MessageShape,
  type Registry,
  toJson,
} from '@bufbuild/protobuf';
import { type Document, type Json, parseJson } from './output.js';

/** Kinds of keys are written as partners know them, and classes as they are; all other words in lower case. */
const WORDS: Readonly<Record<string, (name: string) => string>> = {
  'partner.access.v1.KeyKind': (name) => name.toLowerCase().replaceAll('_', '-'),
  'partner.access.v1.CompanyClass': (name) => name,
  'partner.platform.v1.CompanyClass': (name) => name,
};

/**
 * A message as JSON in the words of the partners' API: names in camelCase, instants as texts, enumerations as words
 * (`dead_lettered`), bytes as the UTF-8 text that they are. What is absent is left out.
 */
export function viewOf<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
  options: { readonly registry?: Registry } = {},
): Document {
  const json = toJson(schema, message, options);
  return isDocument(json) ? documentOf(schema, json) : {};
}

/** Whether it is an object and no list. */
export function isDocument(value: Json | undefined): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function documentOf(schema: DescMessage, json: Document): Document {
  const view: Record<string, Json> = {};
  for (const [name, value] of Object.entries(json)) {
    const field = schema.fields.find(({ jsonName }) => jsonName === name);
    view[name] = field === undefined ? value : valueOf(field, value);
  }
  return view;
}

function valueOf(field: DescField, value: Json): Json {
  if (Array.isArray(value)) return value.map((entry: Json) => valueOf(field, entry));
  if (field.enum !== undefined) {
    const name = field.enum.values.find((known) => known.name === value)?.localName;
    return name === undefined ? value : (WORDS[field.enum.typeName] ?? ((word) => word.toLowerCase()))(name);
  }
  if (field.message !== undefined && isDocument(value)) return documentOf(field.message, value);
  const scalar =
    field.fieldKind === 'scalar' ? field.scalar : field.fieldKind === 'list' ? field.scalar : undefined;
  // JSON holds bytes as base64.
  if (scalar === ScalarType.BYTES && typeof value === 'string')
    return Buffer.from(value, 'base64').toString('utf8');
  return value;
}

/** The JSON that a text holds; the text itself when it holds none. */
export function jsonIn(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
