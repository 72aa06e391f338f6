import { expect, test } from '@jest/globals';
import { atNewest, withPage } from './use-list-position.js';

test('the list shows at most six pages and omits the newest ones', () => {
  const places = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].reduce(
    (all, cursor) => [...all, withPage(all.at(-1) ?? atNewest(), cursor)],
    [atNewest()],
  );
  expect(places[5]).toEqual({
    heldAt: undefined,
    cursors: ['a', 'b', 'c', 'd', 'e'],
    isNewestLeftOut: false,
  });
  expect(places[6]?.cursors).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  expect(places[6]?.isNewestLeftOut).toBe(true);
  expect(places[7]?.cursors).toEqual(['b', 'c', 'd', 'e', 'f', 'g']);
});
