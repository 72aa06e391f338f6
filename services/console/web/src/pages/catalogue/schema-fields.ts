import { z } from 'zod';
import { type EventGroup, groupEvents } from '../../webhook-facts.js';
import type { CatalogueEvent } from '@partner/proto-contracts/resources/event-catalogue/event-catalogue';

/** One field of a body, as a row of a table. */
interface SchemaField {
  /** Full path in the body, e.g. `data.schedule.startsAt`. */
  readonly path: string;
  /** Readable type. */
  readonly type: string;
  readonly meaning: string;
}

const schemaNode = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  format: z.string().optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
});

type SchemaNode = z.infer<typeof schemaNode>;

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'yes or no',
  object: 'group of fields',
  array: 'list',
};

/** Returns the fields of a JSON Schema, nested fields after their parent. */
export function schemaFields(schema: unknown, prefix = ''): readonly SchemaField[] {
  const { properties = {}, required = [] } = parsed(schema);
  return Object.entries(properties).flatMap(([name, value]) => {
    const node = parsed(value);
    const path = `${prefix}${name}`;
    const isOptional = !required.includes(name);
    const field = {
      path,
      type: `${typeText(node)}${isOptional ? ', optional' : ''}`,
      meaning: plain(node.description ?? ''),
    };
    const within = node.properties === undefined ? node.items : value;
    const separator = node.properties === undefined ? '[].' : '.';
    return [field, ...(within === undefined ? [] : schemaFields(within, `${path}${separator}`))];
  });
}

function typeText(node: SchemaNode): string {
  const nodes = node.anyOf?.map(parsed) ?? [node];
  const types = nodes.flatMap(({ type }) => type ?? []);
  const text = nodes.map(bareTypeText).filter((each) => each !== '');
  return `${text.join(' or ')}${types.includes('null') ? ', or null' : ''}`;
}

function bareTypeText(node: SchemaNode): string {
  if (node.const !== undefined)
    return `always ${typeof node.const === 'string' ? node.const : JSON.stringify(node.const)}`;
  if (node.enum !== undefined) {
    return `one of ${node.enum
      .filter((value) => value !== null)
      .map(String)
      .join(', ')}`;
  }
  if (node.format === 'date-time') return 'date and time';
  const types = [node.type ?? []].flat().filter((type) => type !== 'null');
  if (types.includes('array') && node.items !== undefined) return `list of ${typeText(parsed(node.items))}`;
  return types.map((type) => TYPE_NAMES[type] ?? type).join(' or ');
}

function parsed(value: unknown): SchemaNode {
  const found = schemaNode.safeParse(value);
  return found.success ? found.data : {};
}

/** Descriptions are Markdown but only use backquotes. */
function plain(description: string): string {
  return description.replaceAll('`', '');
}

/** Returns the events whose name, meaning or fields contain all words of the search, by group. */
export function findEvents(
  events: readonly CatalogueEvent[],
  filter: { readonly search: string; readonly forClass?: CatalogueEvent['classes'][number] | undefined },
): readonly EventGroup[] {
  const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean);
  return groupEvents(
    events.filter(({ classes, ...event }) => {
      if (filter.forClass !== undefined && !classes.includes(filter.forClass)) return false;
      const text = `${event.name} ${event.meaning} ${JSON.stringify(event.example)}`.toLowerCase();
      return words.every((word) => text.includes(word));
    }),
  );
}
