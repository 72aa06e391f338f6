import { componentName, type SchemaNode } from '@partner/proto-contracts/openapi/api-description';
import { type Html, html, NOTHING } from './html.js';
import { renderInline } from './render-markdown.js';

export type Schemas = Readonly<Record<string, SchemaNode>>;

export function schemaAnchor(name: string): string {
  return `schema-${name}`;
}

export function resolved(schema: SchemaNode, schemas: Schemas): SchemaNode {
  const name = componentName(schema);
  return name === undefined ? schema : (schemas[name] ?? schema);
}

/** A field, a parameter, a header or an error. */
interface Named {
  readonly name: Html;
  readonly facts?: Html;
  readonly description: Html;
}

/** Renders what has names as a list. Spaces separate the parts, so that the search does not join their words. */
export function renderNamed(all: readonly Named[]): Html {
  if (all.length === 0) return NOTHING;
  return html`<dl>
    ${all.map(
      ({ name, facts = NOTHING, description }) =>
        html`<dt>${name} <small>${facts}</small></dt>
          <dd>${description}</dd> `,
    )}
  </dl>`;
}

/**
 * Renders the fields of an object; fields of nested objects have their full path. A field of a named schema links to that
 * schema.
 */
export function renderFields(schema: SchemaNode, schemas: Schemas, prefix = ''): Html {
  return renderNamed(fieldsOf(resolved(schema, schemas), prefix));
}

/** Returns the named schemas that a schema's fields link to. */
export function linkedSchemas(schema: SchemaNode, schemas: Schemas): readonly string[] {
  const { properties = {}, anyOf = [], oneOf = [] } = resolved(schema, schemas);
  return [...Object.values(properties), ...anyOf, ...oneOf].flatMap((part) => namesIn(part, schemas));
}

function namesIn(property: SchemaNode, schemas: Schemas): readonly string[] {
  const name = componentName(property.items ?? property);
  return name === undefined ? linkedSchemas(property.items ?? property, schemas) : [name];
}

function fieldsOf(schema: SchemaNode, prefix: string): readonly Named[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const isRequired = schema.required?.includes(name) === true;
    const field = {
      name: html`<code>${prefix === '' ? NOTHING : html`<small>${prefix}</small>`}${name}</code>`,
      facts: html`${renderType(property)}${isRequired ? '' : ', optional'}`,
      description: html`${renderInline(property.description ?? '')} ${renderConstraints(property)}`,
    };
    const path = `${prefix}${name}`;
    return [field, ...fieldsOf(property, `${path}.`), ...fieldsOf(property.items ?? {}, `${path}[].`)];
  });
}

export function renderType(schema: SchemaNode): Html {
  const name = componentName(schema);
  if (name !== undefined) return html`<a href="#${schemaAnchor(name)}">${name}</a>`;
  if (schema.items !== undefined) return html`array of ${renderType(schema.items)}`;
  const members = schema.anyOf ?? schema.oneOf;
  if (members !== undefined) {
    return html`${members.map((member, place) => html`${place === 0 ? '' : ' or '}${renderType(member)}`)}`;
  }
  const types = [schema.type ?? 'any'].flat();
  return html`${types.join(' or ')}${schema.format === undefined ? NOTHING : html` (${schema.format})`}`;
}

export function renderConstraints(schema: SchemaNode): Html {
  const values = schema.const === undefined ? (schema.enum ?? schema.items?.enum) : [schema.const];
  const constraints = [
    values === undefined
      ? undefined
      : html`${values.length === 1 ? 'always ' : 'one of '}${codeList(values)}`,
    range(schema.minLength, schema.maxLength, 'characters'),
    range(schema.minimum, schema.maximum, ''),
    range(schema.minItems, schema.maxItems, 'items'),
    range(schema.items?.minLength, schema.items?.maxLength, 'characters each'),
    schema.uniqueItems === true ? html`each only once` : undefined,
    schema.format === undefined && schema.pattern !== undefined
      ? html`matches <code>${schema.pattern}</code>`
      : undefined,
    schema.default === undefined ? undefined : html`default <code>${JSON.stringify(schema.default)}</code>`,
  ].filter((constraint) => constraint !== undefined);
  return html`${constraints.map((constraint) => html`<small>${constraint}</small> `)}`;
}

function codeList(values: readonly unknown[]): readonly Html[] {
  return values.map(
    (value, place) =>
      html`${place === 0 ? '' : ', '}<code
          >${typeof value === 'string' ? value : JSON.stringify(value)}</code
        >`,
  );
}

function range(least: number | undefined, most: number | undefined, unit: string): Html | undefined {
  const number = (value: number) => value.toLocaleString('en-US');
  if (least === undefined && most === undefined) return undefined;
  const span =
    most === undefined
      ? `at least ${number(least ?? 0)}`
      : least === undefined
        ? `at most ${number(most)}`
        : `${number(least)} to ${number(most)}`;
  return html`${unit === '' ? span : `${span} ${unit}`}`;
}

/** Renders a JSON value, indented. The page's script colors it. */
export function renderJson(value: unknown): Html {
  return html`<pre tabindex="0"><code class="json">${JSON.stringify(value, null, 2)}</code></pre>`;
}
