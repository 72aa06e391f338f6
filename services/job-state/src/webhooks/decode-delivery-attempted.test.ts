import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from '@jest/globals';
import {
  type DeliveryAttempted,
  DeliveryAttemptedSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { decodeDeliveryAttempted } from './decode-delivery-attempted.js';

function encoded(change: (message: DeliveryAttempted) => void = () => undefined): Uint8Array {
  const message = create(DeliveryAttemptedSchema, {
    deliveryId: 'dlv_1',
    leaseId: 'lease',
    urlVersion: 2,
    retryAfterSeconds: 30,
    attempt: {
      deliveryId: 'dlv_2',
      number: 3,
      startedAt: { seconds: 1_787_000_000n, nanos: 5_000_000 },
      durationMs: 120,
      outcome: AttemptOutcome.REJECTED,
      responseStatus: 503,
      responseBody: Uint8Array.of(0, 255),
      error: 'answered\0 503',
      remoteAddress: '203.0.113.7',
      secretVersion: 1,
    },
  });
  change(message);
  return toBinary(DeliveryAttemptedSchema, message);
}

describe('decodeDeliveryAttempted', () => {
  test('reads a whole message, without the character that Postgres can not keep', () => {
    expect(decodeDeliveryAttempted(encoded())).toEqual({
      result: {
        deliveryId: 'dlv_1',
        leaseId: 'lease',
        urlVersion: 2,
        retryAfterSeconds: 30,
        attempt: {
          deliveryId: 'dlv_2',
          number: 3,
          startedAt: new Date(1_787_000_000_005),
          durationMs: 120,
          outcome: 'rejected',
          responseStatus: 503,
          responseBody: Uint8Array.of(0, 255),
          error: 'answered 503',
          remoteAddress: '203.0.113.7',
          secretVersion: 1,
        },
      },
    });
  });

  test('refuses what is no such message, or empty', () => {
    expect(decodeDeliveryAttempted(Buffer.from('{"not":"protobuf"}'))).toHaveProperty('malformed');
    expect(decodeDeliveryAttempted(new Uint8Array())).toHaveProperty('malformed');
  });

  test.each<[string, (message: DeliveryAttempted) => void]>([
    ['deliveryId', (message) => delete message.deliveryId],
    ['leaseId', (message) => delete message.leaseId],
    ['urlVersion', (message) => delete message.urlVersion],
    ['attempt', (message) => delete message.attempt],
    ['attempt.startedAt', (message) => delete message.attempt?.startedAt],
    ['attempt.outcome', (message) => delete message.attempt?.outcome],
    ['attempt.number', (message) => delete message.attempt?.number],
    ['attempt.durationMs', (message) => message.attempt && (message.attempt.durationMs = -1)],
    [
      'attempt.outcome',
      (message) => message.attempt && (message.attempt.outcome = AttemptOutcome.UNSPECIFIED),
    ],
    [
      'attempt.startedAt',
      (message) => message.attempt?.startedAt && (message.attempt.startedAt.seconds = 1n << 60n),
    ],
    [
      'attempt.startedAt',
      (message) =>
        message.attempt && (message.attempt.startedAt = timestampFromDate(new Date('1999-12-31T23:59:59Z'))),
    ],
    [
      'attempt.startedAt',
      (message) =>
        message.attempt && (message.attempt.startedAt = timestampFromDate(new Date('2100-01-01T00:00:00Z'))),
    ],
    ['attempt.number', (message) => message.attempt && (message.attempt.number = 9)],
    ['attempt.responseStatus', (message) => message.attempt && (message.attempt.responseStatus = 99)],
  ])('says that %s is at fault', (field, change) => {
    const body = encoded(change);
    expect(fromBinary(DeliveryAttemptedSchema, body)).toBeDefined();
    const decoded = decodeDeliveryAttempted(body);
    expect('malformed' in decoded && decoded.malformed).toContain(`${field}:`);
  });
});
