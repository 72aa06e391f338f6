import { expect, test } from '@jest/globals';
import { readDockerIgnore } from './docker-ignore.js';

const isGiven = readDockerIgnore(
  '# a list of what is given\n*\n!a.json\n!/src/\n!lib/main\n**/node_modules\n**/*.test.ts\nsrc/secret?\n!src/secret1/open\n',
);

test.each(['a.json', 'src/x/y.ts', 'src', 'lib/main/z', 'src/secrets.ts', 'src/secret1/open'])(
  'the build gets %s',
  (file) => expect(isGiven(file)).toBe(true),
);

test.each([
  ['b.json'],
  ['lib'],
  ['lib/other'],
  ['xa.json'],
  ['sub/a.json'],
  ['node_modules/x/a.js'],
  ['src/node_modules'],
  ['src/x/node_modules/y.ts'],
  ['src/y.test.ts'],
  ['src/secret2/open'],
])('the build does not get %s', (file) => {
  expect(isGiven(file)).toBe(false);
});

test('a pattern that would be read otherwise is refused', () => {
  expect(() => readDockerIgnore('[ab].json')).toThrow('[ab].json');
});
