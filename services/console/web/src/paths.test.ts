import { describe, expect, test } from '@jest/globals';
import { isOwnersPath, PATHS, pathAfterSignIn, signInPath, withQuery } from './paths.js';

describe('after signing in', () => {
  test.each([
    ['/webhooks/whk_1?tab=a', '/webhooks/whk_1?tab=a'],
    [null, '/'],
    ['', '/'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['https://evil.example', '/'],
    ['javascript:alert(1)', '/'],
    ['/sign-in?next=/', '/'],
  ])('%s leads to %s', (next, path) => {
    expect(pathAfterSignIn(next)).toBe(path);
  });

  test('returns to the requested page', () => {
    const path = PATHS.deliveries({ webhook: 'whk_1', status: 'dead_lettered' });
    const next = new URLSearchParams(signInPath(path).split('?')[1]).get('next');
    expect(pathAfterSignIn(next)).toBe(path);
    expect(signInPath('/')).toBe('/sign-in');
  });
});

test('a viewer has no use for the pages that only change something', () => {
  for (const path of [
    PATHS.createWebhook,
    PATHS.rotateSecret('whk_1'),
    PATHS.bulkReplay('whk_1'),
    PATHS.bulkReplay('whk_1', 'retry_scheduled'),
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
