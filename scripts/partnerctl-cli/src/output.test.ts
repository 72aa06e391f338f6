import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { columns, createOutput, escaped, type Output, renderLines, renderTable, valueAt } from './output.js';

function written(
  options: Partial<Parameters<typeof createOutput>[0]>,
  show: (output: Output) => void,
): string {
  let text = '';
  const write = (more: string) => void (text += more);
  const byDefault = { json: false, field: undefined, isTerminal: false, hasColors: false };
  show(createOutput({ ...byDefault, ...options, write }));
  return text;
}

const company = { id: 'cmp_1', name: 'Peak', limits: { weight: 1 }, links: ['cmp_2', 'cmp_3'], note: null };

describe('the result of a command', () => {
  const show = (output: Output) =>
    output.thing(
      { company },
      columns('id: company.id, weight: company.limits.weight, links: company.links, note: company.note'),
    );

  test('is lines for people, without missing values', () => {
    expect(written({}, show)).toBe('id      cmp_1\nweight  1\nlinks   cmp_2, cmp_3\n');
  });

  test('is one JSON document for programs', () => {
    expect(JSON.parse(written({ json: true }, show))).toEqual({ company });
  });

  test('can be one value alone, a text without quotes', () => {
    expect(written({ field: 'company.name' }, show)).toBe('Peak\n');
    expect(written({ field: 'company.links' }, show)).toBe('["cmp_2","cmp_3"]\n');
    expect(written({ field: 'company.links.1' }, show)).toBe('cmp_3\n');
    for (const field of ['company.nothing', 'company.note', 'company.name.length', 'toString']) {
      expect(() => written({ field }, show)).toThrow(/the result has no field(.|\n)*"id": "cmp_1"/);
    }
  });

  test('is a table of rows, with a note if there are none or more', () => {
    const rows = (output: Output, hasMore = false) =>
      output.rows('deadLetters', [company], columns('id, name'), { hasMore });
    expect(written({}, rows)).toBe('ID     NAME\ncmp_1  Peak\n');
    expect(written({}, (output) => rows(output, true))).toContain('--limit shows them');
    expect(written({}, (output) => output.rows('deadLetters', [], []))).toBe('There are no dead letters.\n');
    expect(JSON.parse(written({ json: true }, rows))).toEqual({ deadLetters: [company], hasMore: false });
  });
});

describe('a value with characters that a terminal would interpret', () => {
  const name =
    '\u0000\t\u001b[2J\u0007\nInstallers\u007f\u009b1m\u2028\u202egpj.\u2066\ufeff\ud800 é😀\u200d"\\u202e';
  const raw = /[^\P{Cc}\n]|[\u2028\u202e\u2066\ufeff]/u;
  const show = (output: Output) => output.thing({ names: [name], name }, columns('name'));

  test('is the same value in a JSON document, with escapes of JSON [CONFIG-7]', () => {
    for (const text of [written({ json: true }, show), written({ field: 'names' }, show)]) {
      expect(text).not.toMatch(raw);
      expect(text).toContain('\\u202egpj.');
    }
    expect(JSON.parse(written({ json: true }, show))).toEqual({ names: [name], name });
    expect(JSON.parse(written({ field: 'names' }, show))).toEqual([name]);
  });

  test('is the same value in a file of the command, escaped in the syntax of the file [CONFIG-7]', () => {
    const file = (output: Output) => output.file({ name }, escaped(JSON.stringify(name)));
    for (const isTerminal of [true, false]) {
      expect(JSON.parse(written({ isTerminal }, file))).toBe(name);
      expect(written({ isTerminal }, file)).not.toMatch(raw);
    }
    expect(JSON.parse(written({ json: true }, file))).toEqual({ name });
  });

  test('is harmless in a table and in an error, which name the rest of it', () => {
    const table = written({}, (output) => output.rows('companies', [{ name }], columns('name')));
    expect(table).toContain('Installers');
    expect(table).not.toMatch(raw);
    const wrongField = () => written({ field: 'nothing' }, show);
    expect(wrongField).toThrow(/Installers/);
    expect(wrongField).not.toThrow(raw);
  });

  test('is itself as a single value for a program, and harmless as one on a terminal', () => {
    expect(written({ field: 'name' }, show)).toBe(`${name}\n`);
    expect(written({ field: 'name', isTerminal: true }, show)).not.toMatch(raw);
  });
});

test('colors are for terminals: heads of tables, and cells that say how something is', () => {
  const rows = [{ id: 'ok', name: 'all is ok', state: 'dead_lettered' }];
  const show = (output: Output) => output.rows('checks', rows, columns('id, name, state'));
  const { bold, green, red } = inspect.colors;
  const set = (pair: readonly [number, number] | undefined, text: string) =>
    `\u001b[${pair?.[0]}m${text}\u001b[${pair?.[1]}m`;
  expect(written({ hasColors: true }, show)).toBe(
    `${set(bold, 'ID  NAME       STATE')}\n${set(green, 'ok')}  all is ok  ${set(red, 'dead_lettered')}\n`,
  );
  expect(written({ hasColors: true, json: true }, show)).not.toContain('\u001b');
});

test('a missing value is undefined, and inherited properties are not reached', () => {
  expect(valueAt({ a: [{ b: 1 }] }, 'a.0.b')).toBe(1);
  expect(valueAt({ a: 1 }, 'a.b')).toBeUndefined();
  expect(valueAt({ a: 1 }, '__proto__')).toBeUndefined();
});

test('tables and lines keep each value on one line', () => {
  expect(renderTable([{ a: 'one\ntwo', b: 3 }], columns('a, b'))).toBe('A        B\none two  3');
  expect(renderLines({ a: 'one\r\ntwo' }, columns('a'))).toBe('a  one two\n');
});

test('a table on a terminal has ages, says once what all rows share, and fits its width without cutting an id', () => {
  const rows = ['dlv_01k9pxm540e2n8d6n3t6h2fc4j', 'dlv_01k9pxm540e2n8d6n3t6h2fc4k'].map((id, place) => ({
    ...{
      id,
      webhook: 'CRM',
      why: `refused with a long text, ${place}`,
      at: `2026-01-01T00:00:0${place}.000Z`,
    },
  }));
  const draw = (width: number) =>
    renderTable(rows, columns('id, webhook, why, at'), { width, now: Date.parse('2026-01-01T00:01:30Z') });
  expect(draw(200)).toBe(
    `webhook: CRM\nID                              WHY                          AT\n${rows[0]?.id}  refused with a long text, 0  90 s ago\n${rows[1]?.id}  refused with a long text, 1  89 s ago`,
  );
  expect(draw(60).split('\n')[2]).toBe(`${rows[0]?.id}  refused with a lo…  90 s ago`);
  expect(draw(40)).toContain('(without why, at: --json shows all)');
  for (const width of [60, 40]) expect(draw(width)).toContain(rows[1]?.id);
});
