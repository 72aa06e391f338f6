import { expect, test } from '@jest/globals';
import { isConcerned } from './live-queries.js';

test.each([
  [{ live: true }, [], true],
  [{ live: true }, ['whk_1'], true],
  [{ live: true, webhookId: 'whk_1' }, ['whk_1', 'whk_2'], true],
  [{ live: true, webhookId: 'whk_1' }, ['whk_2'], false],
  [{ live: true, webhookId: 'whk_1' }, [], true],
  [{ live: true, webhookId: 'whk_1', isSum: true }, ['whk_1'], false],
  [{ live: true, isSum: true }, ['whk_1'], false],
  [{ live: true, webhookId: 'whk_1', isSum: true }, [], true],
  [{ live: false }, [], false],
  [undefined, ['whk_1'], false],
])('data with %j after a change of %j: %s', (meta, webhookIds, concerned) => {
  expect(isConcerned(meta, webhookIds)).toBe(concerned);
});
