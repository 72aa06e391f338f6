import { expect, test } from '@jest/globals';
import { sourceTexts } from './source-texts.js';

test('keeps the texts of literals, templates and JSX on their lines, without code and identifiers', () => {
  const source = [
    "import { a } from 'some module';",
    '// A comment is no text.',
    "const id = 'an_id';",
    "const title = 'Could not load';",
    'const hint = `Sent ${count} of them`;',
    'const view = (',
    '  <p title="Two words">',
    '    Read the',
    '    page',
    '  </p>',
    ');',
  ].join('\n');
  expect(sourceTexts('page.tsx', source).split('\n')).toEqual([
    '',
    '',
    '',
    ' Could not load',
    ' of them',
    '',
    ' Two words',
    ' Read the page',
    '',
    '',
    '',
  ]);
});
