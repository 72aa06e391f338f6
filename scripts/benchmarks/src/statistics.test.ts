import { expect, test } from '@jest/globals';
import { summarise } from './statistics.js';

test('a summary does not depend on the order of the samples', () => {
  const durations = Array.from({ length: 101 }, (_, index) => (index * 37) % 101);
  expect(summarise(durations)).toEqual({ samples: 101, p50: 50, p95: 95, p99: 99 });
});

test('interpolates a quantile between two samples', () => {
  expect(summarise([4, 2])).toMatchObject({ samples: 2, p50: 3, p95: 3.9 });
  expect(summarise([7])).toEqual({ samples: 1, p50: 7, p95: 7, p99: 7 });
});
