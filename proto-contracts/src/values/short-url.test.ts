import { expect, test } from '@jest/globals';
import { shortUrl } from './short-url.js';

test.each([
  ['https://hooks.example/services/T024/B0c7kX8qvYz1', 'https://hooks.example/services…'],
  ['https://hooks.example/?token=s3cr3t-token', 'https://hooks.example/?token…'],
  ['https://hooks.example/hook', 'https://hooks.example/h…'],
  ['https://hooks.example/s', 'https://hooks.example/…'],
  ['https://hooks.example/', 'https://hooks.example/'],
  ['not a URL', 'not a URL'],
])('%s is shown as %s where its path may be a secret [NOTIFY-14]', (url, shown) => {
  expect(shortUrl(url)).toBe(shown);
});
