import { stringify } from 'yaml';
import { allowedValues, isGroup, type ValueSchema } from './value-schema.js';

const LINE_WIDTH = 100;

const OWN_KEYWORDS = ['unit', 'isSecret'];

export function renderValuesSchema(chart: string, generated: string, values: ValueSchema): object {
  const { properties, ...root } = withoutOwnKeywords(values);
  return {
    $schema: root['$schema'],
    $comment: generated,
    title: `Values of the chart ${chart}`,
    ...root,
    // Helm passes these to every chart with a dependency.
    properties: { ...properties, global: { type: 'object' }, 'service-common': { type: 'object' } },
  };
}

function withoutOwnKeywords(schema: ValueSchema): ValueSchema {
  const { properties, ...rest } = schema;
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([keyword]) => !OWN_KEYWORDS.includes(keyword))),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, child]) => [name, withoutOwnKeywords(child)]),
      ),
    }),
  };
}

export function renderValuesYaml(chart: string, generated: string, { properties = {} }: ValueSchema): string {
  const blocks = Object.entries(properties).map(([name, schema]) => valueLines(name, schema, '').join('\n'));
  return `# Values of the chart ${chart}.\n# ${generated}\n\n${blocks.join('\n\n')}\n`;
}

function valueLines(name: string, schema: ValueSchema, indent: string): readonly string[] {
  const allowed = allowedValues(schema);
  const comment = `${schema.description ?? ''}${allowed === '' ? '' : ` Allowed: ${allowed}.`}`;
  const comments = wrap(comment.replaceAll('`', ''), LINE_WIDTH - indent.length).map(
    (line) => `${indent}# ${line}`,
  );
  if (!isGroup(schema)) return [...comments, `${indent}${name}: ${inline(schema.default)}`];
  const children = Object.entries(schema.properties ?? {});
  return [
    ...comments,
    `${indent}${name}:`,
    ...children.flatMap(([child, childSchema]) => valueLines(child, childSchema, `${indent}  `)),
  ];
}

export function inline(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', singleQuote: true, lineWidth: 0 }).trimEnd();
}

function wrap(text: string, width: number): readonly string[] {
  return text.split(' ').reduce<readonly string[]>((lines, word) => {
    const last = lines.at(-1);
    return last === undefined || last.length + word.length + 1 > width
      ? [...lines, word]
      : [...lines.slice(0, -1), `${last} ${word}`];
  }, []);
}

export function renderValuesTable(values: ValueSchema): string {
  return renderTable(['value', 'default', 'allowed', 'meaning'], rows(values, ''));
}

function rows({ properties = {} }: ValueSchema, prefix: string): readonly (readonly string[])[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    if (isGroup(schema)) return rows(schema, `${prefix}${name}.`);
    const value = [`\`${prefix}${name}\``, `\`${inline(schema.default)}\``];
    return [[...value, allowedValues(schema), schema.description ?? '']];
  });
}

export function renderTable(head: readonly string[], body: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
