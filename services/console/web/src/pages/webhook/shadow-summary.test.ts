import { expect, test } from '@jest/globals';
import { summarizeShadow } from './shadow-summary.js';

const delivered = { live: 'delivered', shadow: 'delivered', count: 3 } as const;

test.each([
  [[], 0, 'No delivery compared yet', undefined],
  [[{ ...delivered, count: 1 }], 0, '1 delivery compared, all with the same outcome', '100%'],
  [
    [delivered, { live: 'delivered', shadow: 'timed_out', count: 1 }] as const,
    2,
    '4 deliveries compared, 1 with different outcomes. 2 deliveries were not mirrored',
    '75%',
  ],
])('a comparison is summed up [SHADOW-7]', (outcomes, skipped, text, share) => {
  const summary = summarizeShadow({ outcomes: [...outcomes], skipped });
  expect(summary.text).toBe(text);
  expect(summary.shadow.share).toBe(share);
});
