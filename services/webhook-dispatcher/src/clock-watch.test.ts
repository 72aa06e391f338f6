import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from '@jest/globals';
import { deliverer, message, metric, now, run } from './testing/deliver-fixture.js';

describe('a clock', () => {
  const skew = () => run.logged.filter((line) => line.includes('clock.skewed'));
  const late = (leaseId: string) =>
    message({
      leaseId,
      leasedAt: timestampFromDate(new Date(now.getTime() - 25_000)),
      leaseExpiresAt: timestampFromDate(new Date(now.getTime() + 5_000)),
    });

  test('that makes every command late for 30 s is ahead, and is logged as an error', async () => {
    const deliver = deliverer();
    await deliver(late('lease-1'));
    run.elapsedMs = 29_999;
    await deliver(late('lease-2'));
    expect(skew()).toHaveLength(0);
    run.elapsedMs = 30_000;
    await deliver(late('lease-3'));
    expect(skew()).toHaveLength(1);
    expect(JSON.parse(skew()[0] ?? '')).toMatchObject({
      level: 'error',
      direction: 'ahead',
      offByMs: 25_000,
    });
    expect(await metric('partner_webhook_clock_skewed_total')).toEqual([{ direction: 'ahead', value: 1 }]);
  });

  test('is not ahead when a command in between is in time: the late ones waited in the queue', async () => {
    const deliver = deliverer();
    await deliver(late('lease-1'));
    run.elapsedMs = 20_000;
    await deliver(message({ leaseId: 'lease-2' }));
    run.elapsedMs = 40_000;
    await deliver(late('lease-3'));
    expect(skew()).toHaveLength(0);
  });

  test('for which a lease begins in the future is behind, and the attempt is still made', async () => {
    const deliver = deliverer();
    const leasedIn = (ms: number) => timestampFromDate(new Date(now.getTime() + ms));
    await deliver(message({ leasedAt: leasedIn(2_000) }));
    expect(skew()).toHaveLength(0);
    await deliver(message({ leaseId: 'lease-2', leasedAt: leasedIn(2_001) }));
    expect(JSON.parse(skew()[0] ?? '')).toMatchObject({
      level: 'error',
      direction: 'behind',
      offByMs: 2_001,
    });
    expect(run.posts).toHaveLength(2);
    expect(await metric('partner_webhook_clock_skewed_total')).toEqual([{ direction: 'behind', value: 1 }]);
  });
});
