import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { isMap, isScalar, parseDocument, type YAMLMap } from 'yaml';
import { z } from 'zod';
import { PROJECT_ROOT } from '@partner/local-stack/stack/project-root';
import { SERVICE_NAMES, type ServiceName } from '@partner/local-stack/stack/services';

/** A value of a chart: where it stands, what it is without being set, and what is said of it. */
interface DocumentedValue {
  readonly path: string;
  readonly standard: unknown;
  readonly description: string;
}

const schemaNode = z.looseObject({
  description: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
});

const read = (chart: ServiceName, file: string) =>
  readFileSync(path.join(PROJECT_ROOT, 'charts', chart, file), 'utf8');

/** One line, without the marks of code and without the dot at its end. */
const plain = (text: string) => text.replaceAll('`', '').replaceAll(/\s+/g, ' ').trim().replace(/\.$/, '');

/** What values.schema.json says of each value, by its path. Helm's own are left out. */
function describedBySchema(chart: ServiceName): Map<string, { description: string; rules: unknown }> {
  const found = new Map<string, { description: string; rules: unknown }>();
  const walk = (node: unknown, prefix: string) => {
    for (const [name, child] of Object.entries(schemaNode.parse(node).properties ?? {})) {
      const { description = '', properties, ...rules } = schemaNode.parse(child);
      const place = `${prefix}${name}`;
      found.set(place, {
        description: plain(description),
        rules: properties === undefined ? rules : 'group',
      });
      if (properties !== undefined && rules['additionalProperties'] === false) walk(child, `${place}.`);
    }
  };
  const root = schemaNode.parse(JSON.parse(read(chart, 'values.schema.json')));
  const { global, 'service-common': library, ...own } = root.properties ?? {};
  expect([global, library]).not.toContain(undefined);
  walk({ properties: own }, '');
  return found;
}

/** The values of values.yaml with the comments before them. */
function describedByComments(
  chart: ServiceName,
): readonly (DocumentedValue & { readonly isGroup: boolean })[] {
  const found: (DocumentedValue & { readonly isGroup: boolean })[] = [];
  const schema = describedBySchema(chart);
  const walk = (map: YAMLMap, prefix: string) => {
    for (const { key, value } of map.items) {
      if (!isScalar(key)) continue;
      const place = `${prefix}${String(key.value)}`;
      const isGroup = isMap(value) && schema.get(place)?.rules === 'group';
      // The comment before the first key of a map is the map's.
      const comments = key.commentBefore ?? (map.items[0]?.key === key ? map.commentBefore : undefined);
      // What stands apart from it is about the file.
      const comment = comments?.split(/\n\s*\n/).at(-1) ?? '';
      const standard: unknown = isScalar(value) ? value.value : isMap(value) ? value.toJSON() : value;
      found.push({ path: place, standard, description: plain(comment), isGroup });
      if (isGroup && isMap(value)) walk(value, `${place}.`);
    }
  };
  const document = parseDocument(read(chart, 'values.yaml'));
  if (isMap(document.contents)) walk(document.contents, '');
  return found;
}

/** The rows of the table of values in README.md. */
function describedByTable(chart: ServiceName): readonly DocumentedValue[] {
  const [, table = ''] = read(chart, 'README.md').split('\n## Values\n');
  return table
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const [, name = '', standard = '', ...description] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
      return {
        path: plain(name),
        standard: standard.replaceAll(/[` ]/g, ''),
        description: plain(description.slice(0, -1).join('|')),
      };
    });
}

/** A standard value as the table has it, apart from spaces. */
const written = (standard: unknown) =>
  typeof standard === 'string' && standard !== '' ? standard : JSON.stringify(standard);

describe.each(SERVICE_NAMES)('the values of %s', (chart) => {
  test('are described by their schema, each of them, as by the comments of values.yaml', () => {
    const commented = describedByComments(chart).map(({ path, description }) => [path, description]);
    const described = [...describedBySchema(chart)].map(([path, { description }]) => [path, description]);
    expect(commented).toEqual(described);
    expect(described.filter(([, description]) => description === '')).toEqual([]);
  });

  test('stand in the table of README.md, as they are when they are not set', () => {
    const expected = describedByComments(chart)
      .filter(({ isGroup }) => !isGroup)
      .map(({ path, standard, description }) => ({ path, standard: written(standard), description }));
    expect(describedByTable(chart)).toEqual(expected);
  });
});

test('a value that several charts have may be the same in each of them', () => {
  const differing = new Set<string>();
  const seen = new Map<string, unknown>();
  for (const chart of SERVICE_NAMES) {
    for (const [place, { rules }] of describedBySchema(chart)) {
      if (!seen.has(place)) seen.set(place, rules);
      else if (JSON.stringify(seen.get(place)) !== JSON.stringify(rules)) differing.add(place);
    }
  }
  expect([...differing]).toEqual([]);
});
