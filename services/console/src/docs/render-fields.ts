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

/**
 * Renders the fields of an object as a table; fields of nested objects have their full path. A field of a named schema
 * links to that schema's table.
 */
export function renderFields(schema: SchemaNode, schemas: Schemas, prefix = ''): Html {
  const rows = fieldRows(resolved(schema, schemas), prefix);
  return rows.length === 0 ? NOTHING : renderRows(['Field', 'Type', 'Description'], rows, 'fields');
}

/** Returns the named schemas that the tables of a schema's fields link to. */
export function linkedSchemas(schema: SchemaNode, schemas: Schemas): readonly string[] {
  const { properties = {}, anyOf = [], oneOf = [] } = resolved(schema, schemas);
  return [...Object.values(properties), ...anyOf, ...oneOf].flatMap((part) => namesIn(part, schemas));
}

function namesIn(property: SchemaNode, schemas: Schemas): readonly string[] {
  const name = componentName(property.items ?? property);
  return name === undefined ? linkedSchemas(property.items ?? property, schemas) : [name];
}

function fieldRows(schema: SchemaNode, prefix: string): readonly (readonly Html[])[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const isRequired = schema.required?.includes(name) === true;
    const row = [
      html`<code class="field"><span class="parents">${prefix}</span>${name}</code
        >${isRequired ? NOTHING : html` <span class="optional">optional</span>`}`,
      renderType(property),
      html`${renderDescription(property)}${renderConstraints(property)}`,
    ];
    return [row, ...fieldRows(property, `${path}.`), ...fieldRows(property.items ?? {}, `${path}[].`)];
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
  if (constraints.length === 0) return NOTHING;
  return html`<ul class="constraints">
    ${constraints.map((constraint) => html`<li>${constraint}</li> `)}
  </ul>`;
}

function renderDescription({ description }: SchemaNode): Html {
  return description === undefined ? NOTHING : html`<p>${renderInline(description)}</p>`;
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

/**
 * Renders a table whose rows become blocks on a narrow screen. Roles keep it a table for screen readers, and each cell
 * of a plain table carries its column's name. A space separates the cells, so that the search does not join their
 * words.
 */
export function renderRows(
  head: readonly string[],
  rows: readonly (readonly Html[])[],
  kind: 'fields' | 'plain' = 'plain',
): Html {
  return html`<table role="table" class="${kind}">
    <thead role="rowgroup">
      <tr role="row">
        ${head.map((title) => html`<th role="columnheader" scope="col">${renderInline(title)}</th> `)}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map(
        (cells) =>
          html`<tr role="row">
            ${cells.map((cell, place) => html`<td role="cell" data-title="${head[place] ?? ''}">${cell}</td> `)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** Renders a JSON value, indented. The page's script colors it. */
export function renderJson(value: unknown): Html {
  return html`<pre tabindex="0"><code class="json">${JSON.stringify(value, null, 2)}</code></pre>`;
}

const LINES_SHOWN_AT_ONCE = 24;

/** Renders an example under its title, collapsed if it is long unless it is to be open. */
export function renderExample(title: string, value: unknown, isOpen = isShort(value)): Html {
  return html`<details ${isOpen ? html`open` : NOTHING}>
    <summary>${title}</summary>
    ${renderJson(value)}
  </details>`;
}

const isShort = (value: unknown) => JSON.stringify(value, null, 2).split('\n').length <= LINES_SHOWN_AT_ONCE;
