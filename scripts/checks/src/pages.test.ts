import { expect, test } from '@jest/globals';
import { pageViolations } from './pages.js';

const FILES = ['README.md', 'LICENSE', 'scripts/up', 'charts/docs/runbooks.md', 'scripts/docs/testing.md'];
const RUNBOOKS = {
  file: 'charts/docs/runbooks.md',
  text: '# Runbooks\n\nFor the engineer on call.\n\n## Partner `x` late\n\n## Twice\n\n## Twice\n\n```sh\n## not a heading\n```\n',
};

const PROJECT = { exists: (file: string) => FILES.includes(file), npmScripts: ['check'] };

const violationsOf = (text: string, file = 'README.md') =>
  pageViolations([{ file, text: `# Page\n\nFor a reader.\n\n${text}\n` }, RUNBOOKS], PROJECT);

test.each([
  '[a](LICENSE)',
  '[a](charts/docs/runbooks.md)',
  '[a](charts/docs/runbooks.md#partner-x-late)',
  '[a](charts/docs/runbooks.md#twice-1)',
  '[a](https://example.org/none#none)',
  '## Here\n\n[a](#here)',
  '`[a](none.md)`',
  '```md\n[a](none.md)\n```',
])('accepts a link to an existing file or heading: %j', (text) => {
  expect(violationsOf(text)).toEqual([]);
});

test.each([
  ['none.md', '[a](none.md)'],
  ['none.md', 'See [a][].\n\n[a]: none.md'],
  ['none.png', '![a](none.png)'],
  ['charts/docs/runbooks.md#none', '[a](charts/docs/runbooks.md#none)'],
  ['charts/docs/runbooks.md#not-a-heading', '[a](charts/docs/runbooks.md#not-a-heading)'],
  ['LICENSE#none', '[a](LICENSE#none)'],
  ['#none', '[a](#none)'],
])('reports a link to %s', (link, text) => {
  expect(violationsOf(text)).toEqual([`README.md: ${link} does not exist`]);
});

test('resolves a link from the folder of its page', () => {
  expect(violationsOf('[a](../../LICENSE)', 'scripts/docs/testing.md')).toEqual([]);
  expect(violationsOf('[a](LICENSE)', 'scripts/docs/testing.md')).toEqual([
    'scripts/docs/testing.md: LICENSE does not exist',
  ]);
});

test('reports a page that does not name its reader, outside the specification', () => {
  const page = (file: string) => ({ file, text: '# Testing\n\nTests run.\n' });
  const pages = [page('scripts/docs/testing.md'), page('proto-contracts/spec/decisions.md')];
  expect(pageViolations(pages, PROJECT)).toEqual([
    'scripts/docs/testing.md: name the reader below the title: "For a developer who …"',
  ]);
});

test('reports a command that the project does not have', () => {
  const block = (lines: string) => `\`\`\`sh\n${lines}\n\`\`\``;
  expect(violationsOf(block('scripts/up --detach   # start\nnpm run check\nBASE=$(scripts/up)'))).toEqual([]);
  expect(violationsOf(block('scripts/start\nnpm run lint\nBASE=$(scripts/none)'))).toEqual([
    'README.md: scripts/start is not a command of the project',
    'README.md: npm run lint is not a command of the project',
    'README.md: scripts/none is not a command of the project',
  ]);
});
