import { expect, test } from '@jest/globals';
import { readProjectFile } from '@partner/local-stack/project-root';
import { OperatorError } from '../exit-codes.js';
import { parseConfigurationFile, writeConfigurationFile } from './configuration-file.js';

const WEBHOOK = { description: 'Board', url: 'https://hooks.example/a', events: ['install.*'] };

const violationsOf = (text: string) => {
  try {
    parseConfigurationFile('webhooks.yaml', text);
    return [];
  } catch (error) {
    return error instanceof Error ? error.message.split('\n') : [];
  }
};

test('names the line and the path of each violation [CONFIG-6]', () => {
  expect(
    violationsOf(`companies:
  cmp_1:
    technicalContact: not an address
    webhooks:
      - description: Board
        url: https://hooks.example:8443/
        events: [install.*, instal.*]
        deliveriesPerSecond: 0
        fields:
          install.*: [status, stat]
      - { url: https://hooks.example/, events: [install.*] }
  cmp_2:
`),
  ).toEqual([
    expect.stringMatching(/^webhooks.yaml:3: companies.cmp_1.technicalContact: must be an email address/),
    'webhooks.yaml:6: companies.cmp_1.webhooks.0.url: must use port 443',
    expect.stringMatching(
      /^webhooks.yaml:7: companies.cmp_1.webhooks.0.events.1: must be an event in the catalog/,
    ),
    expect.stringMatching(
      /^webhooks.yaml:10: companies.cmp_1.webhooks.0.fields.install.\*.1: must be a field/,
    ),
    'webhooks.yaml:8: companies.cmp_1.webhooks.0.deliveriesPerSecond: must be at least 1',
    expect.stringMatching(/^webhooks.yaml:11: companies.cmp_1.webhooks.1.description: is required/),
    'webhooks.yaml:12: companies.cmp_2: must be an object, not null',
  ]);
  expect(violationsOf('companies:\n  cmp_1: {}\n  cmp_1: {}\n')).toEqual([
    expect.stringMatching(/^webhooks.yaml:3: Map keys must be unique/),
  ]);
  expect(violationsOf('')).toEqual(['webhooks.yaml:1: file: must be an object, not null']);
});

test('reads the example of the page', () => {
  const [, example = ''] = /^```yaml\n(.*?)^```$/ms.exec(readProjectFile('scripts/docs/partnerctl.md')) ?? [];
  const { companies } = parseConfigurationFile('webhooks.yaml', example).configuration;
  expect(Object.values(companies).map(({ webhooks = [] }) => webhooks.length)).toEqual([2]);
});

test('refuses secrets, headers and unknown fields [CONFIG-5]', () => {
  for (const field of ['secret', 'headers', 'ratePerSecond'])
    expect(
      violationsOf(JSON.stringify({ companies: { cmp_1: { webhooks: [{ ...WEBHOOK, [field]: 'x' }] } } })),
    ).toEqual([`webhooks.yaml:1: companies.cmp_1.webhooks.0: must not contain ${field}`]);
});

test('refuses an identification that two webhooks of a company have [CONFIG-1]', () => {
  const of = (...webhooks: readonly object[]) =>
    violationsOf(JSON.stringify({ companies: { cmp_1: { webhooks } } }));
  expect(of(WEBHOOK, WEBHOOK)).toEqual([
    expect.stringContaining('cmp_1.webhooks.1.description: must differ from'),
  ]);
  expect(of({ ...WEBHOOK, id: 'whk_1' }, { ...WEBHOOK, id: 'whk_1' })).toEqual([
    expect.stringContaining('cmp_1.webhooks.1.id: must differ from'),
  ]);
  expect(of({ ...WEBHOOK, id: 'whk_1' }, { ...WEBHOOK, id: 'whk_2' })).toEqual([]);
});

test('reads what it writes, with the names of companies as comments', () => {
  const configuration = {
    companies: {
      cmp_1: { technicalContact: 'dev@peak.example', webhooks: [{ id: 'whk_1', ...WEBHOOK }] },
      cmp_2: {},
    },
  };
  const text = writeConfigurationFile(configuration, { cmp_1: 'Peak', url: 'Url' });
  expect(text).toContain('\n  # Peak\n  cmp_1:\n    technicalContact: dev@peak.example\n');
  expect(text).not.toContain('# Url');
  expect(parseConfigurationFile('webhooks.yaml', text).configuration).toEqual(configuration);
});

test('reads every description that it writes as exactly that text, and writes none that a terminal would interpret [CONFIG-7]', () => {
  const texts = [
    'a\tb',
    '\u001b[2J',
    'a\u0085b',
    '\u009b1m',
    'Zoë 😀 \u202eabc',
    'a\r\nb\rc',
    '\u2028',
    '\ufeffa',
    '\u007f',
    '\\u202e',
    '"\\t"\t',
    `${'long '.repeat(20)}\n\tline\u202e\n\n  end `,
    'yes',
    '~',
    '- x',
    ' a ',
    '#\t',
    '\n',
  ];
  const webhooks = texts.map((description, index) => ({ ...WEBHOOK, id: `whk_${index}`, description }));
  const configuration = { companies: { cmp_1: { webhooks } } };
  const title = 'Peak\n  cmp_2: {}\r\u009b2J\u202e';
  const text = writeConfigurationFile(configuration, { cmp_1: title });
  expect(text).not.toMatch(/[^\P{Cc}\n]|[\u2028\u202e\ufeff]/u);
  for (const saved of [text, `\ufeff${text.replaceAll('\n', '\r\n')}`])
    expect(parseConfigurationFile('webhooks.yaml', saved).configuration).toEqual(configuration);
});

test.each([
  [
    'aliases that multiply',
    `a0: &a0 [x]\n${[...Array(9).keys()].map((at) => `a${at + 1}: &a${at + 1} [${Array(9).fill(`*a${at}`).join(', ')}]\n`).join('')}companies: *a9\n`,
  ],
  ['an alias of nothing', 'companies: *nothing\n'],
  ['a value that contains itself', 'companies: &a\n  cmp_1: *a\n'],
  ['deep nesting', `companies: ${'['.repeat(3_000)}${']'.repeat(3_000)}\n`],
  ['nesting without an end', '['.repeat(100_000)],
])('refuses %s with the name of the file, as a mistake of the file', (_what, text) => {
  const [violation = ''] = violationsOf(text);
  expect(violation).toMatch(/^webhooks.yaml:/);
  expect(() => parseConfigurationFile('webhooks.yaml', text)).toThrow(OperatorError);
});
