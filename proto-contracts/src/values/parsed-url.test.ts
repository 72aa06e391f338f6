import { expect, test } from '@jest/globals';
import { parsedUrl } from './parsed-url.js';

test('a URL is read, also beyond ASCII and relative to another; any other text is none', () => {
  expect(parsedUrl('https://bücher.example/')?.host).toBe('xn--bcher-kva.example');
  expect(parsedUrl('/path', 'https://a.example')?.href).toBe('https://a.example/path');
  for (const text of ['', 'bücher', 'https://', '/path']) expect(parsedUrl(text)).toBeUndefined();
});
