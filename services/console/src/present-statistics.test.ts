import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from '@jest/globals';
import {
  type AttemptCountsSchema,
  GetCompanyStatisticsResponseSchema,
  GetSubscriptionStatisticsResponseSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { presentCompanyStatistics, presentWebhookStatistics } from './present-statistics.js';

const COUNTS = { delivered: 3, failed: 2, deadLettered: 1, p50Ms: 84, p95Ms: 900 };
const NO_COUNTS = { delivered: 0, failed: 0, deadLettered: 0 };
const AT = timestampFromDate(new Date('2026-09-03T12:30:00Z'));

function ofSubscription(totals: MessageInitShape<typeof AttemptCountsSchema>, bucketMinutes = 5) {
  return create(GetSubscriptionStatisticsResponseSchema, { bucketMinutes, totals });
}

describe('statistics', () => {
  test('of a subscription count all attempts together', () => {
    const message = create(GetSubscriptionStatisticsResponseSchema, {
      bucketMinutes: 60,
      buckets: [{ startsAt: AT, counts: COUNTS }],
      totals: COUNTS,
    });
    expect(presentWebhookStatistics('whk_1', message)).toEqual({
      webhookId: 'whk_1',
      bucketMinutes: 60,
      buckets: [{ startsAt: '2026-09-03T12:30:00.000Z', attempts: 5, ...COUNTS }],
      totals: { attempts: 5, ...COUNTS },
    });
  });

  test('without attempts have no percentiles', () => {
    expect(presentWebhookStatistics('whk_1', ofSubscription(NO_COUNTS)).totals).toEqual({
      attempts: 0,
      ...NO_COUNTS,
      p50Ms: null,
      p95Ms: null,
    });
  });

  test('of a company name each subscription', () => {
    const message = create(GetCompanyStatisticsResponseSchema, {
      subscriptions: [{ subscriptionId: 'whk_1', totals: COUNTS }],
      bucketMinutes: 360,
      totals: COUNTS,
    });
    expect(presentCompanyStatistics(message)).toEqual({
      webhooks: [{ webhookId: 'whk_1', totals: { attempts: 5, ...COUNTS } }],
      bucketMinutes: 360,
      buckets: [],
      totals: { attempts: 5, ...COUNTS },
    });
  });

  test('that job-state left a part of out are a fault', () => {
    expect(() => presentWebhookStatistics('whk_1', ofSubscription({ failed: 0, deadLettered: 0 }))).toThrow(
      'counts.delivered',
    );
    expect(() => presentWebhookStatistics('whk_1', ofSubscription(COUNTS, 7))).toThrow('bucket_minutes');
  });
});
