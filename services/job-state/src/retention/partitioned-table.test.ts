import { describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import type { PartitionKey } from '../database/table.js';
import {
  instantOfKey,
  partitionBound,
  partitionName,
  partitionRange,
  partitionRanges,
} from './partitioned-table.js';

const byId = { kind: 'id', column: 'id', prefix: 'dlv' } as const satisfies PartitionKey;
const byInstant = { kind: 'instant', column: 'created_at' } as const satisfies PartitionKey;

describe('the bound of an instant', () => {
  test('is between the ids that were created before it and those created from it on', () => {
    const before = Date.now();
    const id = newId('dlv');
    const after = Date.now();
    expect(partitionBound(byId, new Date(before)) <= id).toBe(true);
    expect(partitionBound(byId, new Date(after + 1)) > id).toBe(true);
  });

  test('can be parsed, and another text is undefined', () => {
    const instant = new Date('2026-11-16T00:00:00.000Z');
    for (const key of [byId, byInstant]) {
      expect(instantOfKey(key, partitionBound(key, instant))).toEqual(instant);
      for (const text of ['evt_01fwhe4ydgfk1shh6w1g60eecf', 'MAXVALUE', '']) {
        expect(instantOfKey(key, text)).toBeUndefined();
      }
    }
  });
});

describe('a partition', () => {
  test.each([
    [7, '2026-11-21T22:00:00.000Z', '2026-11-16', '2026-11-23'],
    [7, '2026-11-23T00:00:00.000Z', '2026-11-23', '2026-11-30'],
    [7, '2026-11-22T23:59:59.999Z', '2026-11-16', '2026-11-23'],
    [30, '2026-11-21T22:00:00.000Z', '2026-11-03', '2026-12-03'],
    [30, '1970-01-30T23:59:59.999Z', '1970-01-01', '1970-01-31'],
  ] as const)('of %i days holds %s from %s to %s', (widthDays, instant, from, to) => {
    expect(partitionRange({ widthDays }, new Date(instant))).toEqual({
      from: new Date(from),
      to: new Date(to),
    });
  });

  test('is adjacent to the previous one, up to the one that holds the last instant', () => {
    const ranges = partitionRanges(
      { widthDays: 7 },
      { from: new Date('2026-11-21T22:00:00Z'), to: new Date('2026-12-07T00:00:00Z') },
    );
    expect(ranges.map((range) => partitionName({ name: 'events' }, range))).toEqual([
      'events_p20261116',
      'events_p20261123',
      'events_p20261130',
      'events_p20261207',
    ]);
  });
});
