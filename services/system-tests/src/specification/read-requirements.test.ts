import { describe, expect, test } from '@jest/globals';
import { readRequirements } from './read-requirements.js';

describe('the requirements of a document', () => {
  test('are its numbered items, the rows of its tables and its sentences, each with its headings', () => {
    const markdown = [
      '# Title',
      '',
      'First sentence. Second one, e.g. `code`',
      'over two lines. `code` begins the third. 2xx begins the fourth.',
      '',
      '## Part',
      '',
      '1. One rule. With two sentences.',
      '2. Another,',
      '   over two lines.',
      '',
      '### Inner',
      '| Method | Path | Notes |',
      '|---|---|---|',
      '| GET | /a | |',
      '| GET | /b | last |',
      '',
      '- A bullet (in brackets.) Then',
      '  another sentence.',
      '- A second bullet:',
      '',
      '## Next',
      'Text.',
    ].join('\n');
    expect(readRequirements('', markdown)).toEqual([
      { at: 'Introduction', says: 'First sentence.' },
      { at: 'Introduction', says: 'Second one, e.g. `code` over two lines.' },
      { at: 'Introduction', says: '`code` begins the third.' },
      { at: 'Introduction', says: '2xx begins the fourth.' },
      { at: 'Part / rule 1', says: 'One rule. With two sentences.' },
      { at: 'Part / rule 2', says: 'Another, over two lines.' },
      { at: 'Part / Inner / GET /a', says: 'GET | /a | ' },
      { at: 'Part / Inner / GET /b', says: 'GET | /b | last' },
      { at: 'Part / Inner', says: 'A bullet (in brackets.)' },
      { at: 'Part / Inner', says: 'Then another sentence.' },
      { at: 'Part / Inner', says: 'A second bullet:' },
      { at: 'Next', says: 'Text.' },
    ]);
  });

  test('stand under the name of the document when it has one', () => {
    expect(readRequirements('Decisions', '# Title\n\n## Part\n\n- A. B.')).toEqual([
      { at: 'Decisions / Part', says: 'A.' },
      { at: 'Decisions / Part', says: 'B.' },
    ]);
  });
});
