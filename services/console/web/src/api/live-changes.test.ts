import { expect, jest, test } from '@jest/globals';
import { isConcerned, paceReloads, reportChanges } from './live-changes.js';

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

test('loads what is newest within 6 s when each reload takes 2 s and five changes come a second, and ends no reload', async () => {
  jest.useFakeTimers();
  const wait = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));
  let newest = 0;
  let shown = 0;
  let running = 0;
  const begun: number[] = [];
  const note = paceReloads(async () => {
    begun.push(Date.now());
    running += 1;
    expect(running).toBe(1);
    await wait(1_000);
    const read = newest;
    await wait(1_000);
    shown = read;
    running -= 1;
    return false;
  }, wait);
  const start = Date.now();
  const ages: number[] = [];
  for (let change = 0; change < 150; change += 1) {
    newest = Date.now();
    note(['whk_1']);
    await jest.advanceTimersByTimeAsync(200);
    if (Date.now() - start > 6_000) ages.push(Date.now() - shown);
  }
  await jest.advanceTimersByTimeAsync(6_000);
  jest.useRealTimers();
  expect(Math.max(...ages)).toBeLessThanOrEqual(6_000);
  expect(begun.length).toBeLessThanOrEqual(18);
  expect(shown).toBe(newest);
});

test('reloads at once, then everything that changed meanwhile, also after requests that were in flight before', async () => {
  const reloads: (readonly string[])[] = [];
  const pauses: (() => void)[] = [];
  const note = paceReloads(
    async (webhookIds) => reloads.push(webhookIds) === 2,
    () => new Promise((resolve) => void pauses.push(resolve)),
  );
  const pass = async () => {
    pauses.shift()?.();
    await new Promise(setImmediate);
  };
  for (const ids of [['whk_1'], ['whk_2'], ['whk_3', 'whk_2']]) note(ids);
  expect(reloads).toEqual([['whk_1']]);
  await pass();
  await pass();
  expect(reloads).toEqual([['whk_1'], ['whk_2', 'whk_3'], ['whk_2', 'whk_3']]);
  await pass();
  note(['whk_5']);
  note([]);
  await pass();
  expect(reloads.slice(3)).toEqual([['whk_5'], []]);
});
