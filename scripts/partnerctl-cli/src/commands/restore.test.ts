import { expect, test } from '@jest/globals';
import { describeRestore } from './restore.js';

const queue = (name: string, messages: number | null, deadLetters: number | null) => ({
  ...{ name, messages, deadLetters },
  consumers: 1,
});

test('after a restore, what the platform and operators must do is shown with the commands [RESTORE-4]', () => {
  const declaredAt = '2026-11-26T09:20:00.000Z';
  const { document, text } = describeRestore(
    {
      restoredTo: '2026-11-26T09:00:00.000Z',
      declaredAt,
      companies: [
        {
          id: 'cmp_1',
          name: 'Peak',
          feed: { kept: 41, seen: 57 },
          events: { kept: 8, seen: null },
          webhooks: [
            { id: 'whk_1', unfinished: 3, deadLettered: 2, oldest: '2026-11-26T08:59:01.000Z' },
            { id: 'whk_2', unfinished: 1, deadLettered: 0, oldest: null },
          ],
        },
        { id: 'cmp_2', name: 'Sunny', feed: null, events: null, webhooks: [] },
      ],
      hasMore: false,
    },
    [queue('job-state.platform-messages', 0, 2), queue('platform.partner-events', 12, null)],
  );
  const replay = 'partnerctl deliveries replay-bulk whk_1 --since 2026-11-26T08:59:01.000Z --yes';
  const requeue = 'partnerctl dead-letters requeue job-state.platform-messages --all --yes';
  expect(document).toMatchObject({
    platform: { publishFrom: '2026-11-26T08:00:00.000Z', publishTo: declaredAt },
    commands: [requeue, replay],
  });
  expect(text).toMatch(/^cmp_1 +Peak +41 +57 +8$/m);
  expect(text).toMatch(/^whk_1 +cmp_1 +3 +2$/m);
  for (const part of [
    `  ${requeue}\n`,
    `  ${replay}\n`,
    'platform.partner-events: 12 wait.',
    'Not known here',
  ])
    expect(text).toContain(part);
  expect(text).not.toContain('whk_2 --since');
});
