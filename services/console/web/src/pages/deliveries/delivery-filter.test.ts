import { expect, test } from '@jest/globals';
import { areNumbersWrong, filterOf, heldQueries, isNarrowed, isSpanWrong } from './delivery-filter.js';

test('a filter is parsed from its address, without invalid values', () => {
  const query = new URLSearchParams(
    'webhook=whk_1&status=held&event=install.*&search=+job_1&from=2026-09-03T13:00Z',
  );
  expect(filterOf(query)).toEqual({
    status: 'held',
    event: 'install.*',
    search: 'job_1',
    from: '2026-09-03T13:00:00.000Z',
  });
  expect(filterOf(new URLSearchParams('webhook=whk_1&status=odd&event=&from=then'))).toEqual({});
  expect(isNarrowed({})).toBe(false);
  expect(isNarrowed({ event: 'install.*' })).toBe(true);
});

test('numbers of events are those of a webhook, and have to be in order', () => {
  const numbers = (query: string) => filterOf(new URLSearchParams(query));
  expect(numbers('webhook=whk_1&fromNumber=118&toNumber=124')).toEqual({
    fromNumber: '118',
    toNumber: '124',
  });
  expect(numbers('fromNumber=118')).toEqual({});
  expect(numbers('webhook=whk_1&fromNumber=0&toNumber=1e3')).toEqual({});
  expect(areNumbersWrong({ fromNumber: '118', toNumber: '118' })).toBe(false);
  expect(areNumbersWrong({ fromNumber: '9', toNumber: '10' })).toBe(false);
  expect(areNumbersWrong({ fromNumber: '119', toNumber: '118' })).toBe(true);
});

test('a span has to begin before it ends', () => {
  const [one, other] = ['2026-09-03T13:00:00.000Z', '2026-09-03T14:00:00.000Z'];
  expect(isSpanWrong({ from: one, to: other })).toBe(false);
  expect(isSpanWrong({ from: other, to: one })).toBe(true);
  expect(isSpanWrong({ from: one, to: one })).toBe(true);
  expect(isSpanWrong({ from: one })).toBe(false);
});

test('a held list ends at its newest entry, where the newer ones begin', () => {
  const newest = '2026-09-03T13:00:00.123Z';
  const anchor = '2026-09-03T13:00:00.124Z';
  expect(heldQueries({ status: 'held' }, newest)).toEqual({
    list: { status: 'held', to: anchor },
    since: { status: 'held', from: anchor },
  });
  expect(heldQueries({ to: '2026-09-04T00:00:00.000Z' }, newest)).toEqual({
    list: { to: anchor },
    since: { from: anchor, to: '2026-09-04T00:00:00.000Z' },
  });
  expect(heldQueries({ to: anchor }, newest)).toEqual({ list: { to: anchor }, since: undefined });
});
