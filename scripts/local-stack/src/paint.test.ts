import { WriteStream } from 'node:tty';
import { expect, test } from '@jest/globals';
import { showsColors } from './paint.js';

const terminal = WriteStream.prototype;
const TERM = 'xterm-256color';

test.each([
  ['a terminal has colors', terminal, { TERM }, true],
  ['a terminal has none with NO_COLOR', terminal, { TERM, NO_COLOR: '1' }, false],
  ['a terminal that knows none has none', terminal, { TERM: 'dumb' }, false],
  ['a pipe has none', {}, { TERM }, false],
])('%s', (_title, stream, env, expected) => {
  expect(showsColors(stream, env)).toBe(expected);
});
