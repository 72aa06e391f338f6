import { expect, test } from '@jest/globals';
import { isConcerned, reportChanges } from './live-changes.js';

test('reports which subscriptions changed, and after an interruption that any may have', () => {
  const changes: (readonly string[])[] = [];
  const source = new EventTarget();
  reportChanges(source, (ids) => changes.push(ids), false);
  source.dispatchEvent(new Event('open'));
  source.dispatchEvent(new MessageEvent('changed', { data: '{"webhookIds":["whk_1"]}' }));
  expect(changes).toEqual([['whk_1']]);

  source.dispatchEvent(new Event('error'));
  source.dispatchEvent(new MessageEvent('changed', { data: '{' }));
  source.dispatchEvent(new Event('open'));
  source.dispatchEvent(new Event('open'));
  expect(changes).toEqual([['whk_1'], [], []]);
});

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
