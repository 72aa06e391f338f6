import { expect, test } from '@jest/globals';
import { isOwnersPath, PATHS, withQuery } from './paths.js';

test('a viewer has no use for the pages that only change something', () => {
  for (const path of [
    PATHS.createWebhook,
    PATHS.setUpWebhook('whk_1'),
    PATHS.rotateSecret('whk_1'),
    PATHS.bulkReplay('whk_1'),
    PATHS.bulkReplay('whk_1', { status: 'retry_scheduled' }),
  ]) {
    expect(isOwnersPath(path)).toBe(true);
  }
  for (const path of [PATHS.webhooks, PATHS.webhook('whk_1', 'secret'), PATHS.colleagues]) {
    expect(isOwnersPath(path)).toBe(false);
  }
});

test('a path contains only parameters with a value', () => {
  expect(withQuery('/deliveries', { webhook: 'a b', status: undefined, event: '' })).toBe(
    '/deliveries?webhook=a+b',
  );
  expect(withQuery('/deliveries', {})).toBe('/deliveries');
});

test('untrusted values are encoded in a path', () => {
  expect(PATHS.webhook('a/b?c')).toBe('/webhooks/a%2Fb%3Fc');
});
