import { expect, test } from '@jest/globals';
import { summarise } from './statistics.js';

test('the median and the 95th percentile do not depend on the order of the samples', () => {
  const durations = Array.from({ length: 101 }, (_, index) => (index * 37) % 101);
  expect(summarise(durations)).toEqual({ samples: 101, median: 50, p95: 95 });
});

test('interpolates a quantile between two samples', () => {
  expect(summarise([4, 2])).toEqual({ samples: 2, median: 3, p95: 3.9 });
  expect(summarise([7])).toEqual({ samples: 1, median: 7, p95: 7 });
});
