import { expect, test } from '@jest/globals';
import { readProjectFile } from '@partner/local-stack/project-root';
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
      - { url: https://hooks.example/, events: [install.*] }
  cmp_2:
`),
  ).toEqual([
    expect.stringMatching(/^webhooks.yaml:3: companies.cmp_1.technicalContact: must be an email address/),
    'webhooks.yaml:6: companies.cmp_1.webhooks.0.url: must use port 443',
    expect.stringMatching(
      /^webhooks.yaml:7: companies.cmp_1.webhooks.0.events.1: must be an event of the catalogue/,
    ),
    'webhooks.yaml:8: companies.cmp_1.webhooks.0.deliveriesPerSecond: must be at least 1',
    expect.stringMatching(/^webhooks.yaml:9: companies.cmp_1.webhooks.1.description: is required/),
    'webhooks.yaml:10: companies.cmp_2: must be an object, not null',
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
    ).toEqual([`webhooks.yaml:1: companies.cmp_1.webhooks.0: must not hold ${field}`]);
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
