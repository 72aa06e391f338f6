import { create, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from '@jest/globals';
import {
  AttemptOutcome,
  DeliveriesAttemptedSchema,
  type DeliveryAttempted,
  DeliveryAttemptedSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { decodeDeliveriesAttempted } from './decode-deliveries-attempted.js';

function attempted(change: (message: DeliveryAttempted) => unknown = () => undefined): DeliveryAttempted {
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
      responseHeaders: { headers: [{ name: 'server', value: 'n\0' }] },
      responseBody: Uint8Array.of(0, 255),
      error: 'responded\0 503',
      remoteAddress: '203.0.113.7',
      secretVersion: 1,
      exchange: {
        dnsMs: 2,
        addresses: ['203.0.113.7'],
        certificateValidTo: timestampFromDate(new Date('2027-01-01T00:00:00Z')),
        reusedConnection: false,
      },
    },
  });
  change(message);
  return message;
}

function encoded(...results: readonly DeliveryAttempted[]): Uint8Array {
  return toBinary(DeliveriesAttemptedSchema, create(DeliveriesAttemptedSchema, { results: [...results] }));
}

describe('decodeDeliveriesAttempted', () => {
  test('reads a complete message, without the character that Postgres cannot store', () => {
    expect(decodeDeliveriesAttempted(encoded(attempted()))).toEqual({
      malformed: undefined,
      results: [
        {
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
            responseHeaders: '[{"name":"server","value":"n"}]',
            responseBody: Uint8Array.of(0, 255),
            error: 'responded 503',
            remoteAddress: '203.0.113.7',
            secretVersion: 1,
            exchange: {
              json: JSON.stringify({
                dnsMs: 2,
                addresses: ['203.0.113.7'],
                certificateValidTo: '2027-01-01T00:00:00.000Z',
                reusedConnection: false,
              }),
              certificate: { validFrom: undefined, validTo: new Date('2027-01-01T00:00:00Z') },
            },
          },
        },
      ],
    });
  });

  test('reads the valid results and reports the malformed ones', () => {
    const decoded = decodeDeliveriesAttempted(
      encoded(
        attempted(),
        attempted((message) => delete message.leaseId),
        attempted((message) => (message.deliveryId = 'dlv_9')),
      ),
    );
    expect(decoded.results.map(({ deliveryId }) => deliveryId)).toEqual(['dlv_1', 'dlv_9']);
    expect(decoded.malformed).toContain('results.1.leaseId:');
  });

  test('rejects other messages and empty ones', () => {
    expect(decodeDeliveriesAttempted(Buffer.from('{"not":"protobuf"}')).malformed).toBeDefined();
    expect(decodeDeliveriesAttempted(new Uint8Array()).malformed).toBe('it has no results');
  });

  const startingAt = (startedAt: Date) => (message: DeliveryAttempted) =>
    message.attempt && (message.attempt.startedAt = timestampFromDate(startedAt));
  const without = (field: string): [string, (message: DeliveryAttempted) => unknown] => {
    const [last = '', isOfAttempt] = field.split('.').reverse();
    return [field, (message) => Reflect.deleteProperty((isOfAttempt && message.attempt) || message, last)];
  };
  test.each<[string, (message: DeliveryAttempted) => unknown]>([
    ...['deliveryId', 'leaseId', 'urlVersion', 'attempt'].map(without),
    ...['attempt.startedAt', 'attempt.outcome', 'attempt.number'].map(without),
    ['attempt.startedAt', ({ attempt }) => attempt?.startedAt && (attempt.startedAt.seconds = 1n << 60n)],
    ['attempt.startedAt', startingAt(new Date('1999-12-31T23:59:59Z'))],
    ['attempt.startedAt', startingAt(new Date('2100-01-01T00:00:00Z'))],
    ['attempt.number', ({ attempt }) => attempt && (attempt.number = 9)],
  ])('reports %s as the violation', (field, change) => {
    const { results, malformed } = decodeDeliveriesAttempted(encoded(attempted(change)));
    expect(results).toEqual([]);
    expect(malformed).toContain(`results.0.${field}:`);
  });

  test.each<[string, (message: DeliveryAttempted) => void, object]>([
    ['a status', ({ attempt }) => attempt && (attempt.responseStatus = 0), { responseStatus: undefined }],
    ['a duration', ({ attempt }) => attempt && (attempt.durationMs = -1), { durationMs: 0 }],
    [
      'an outcome',
      ({ attempt }) => attempt && (attempt.outcome = AttemptOutcome.UNSPECIFIED),
      { outcome: 'connection_failed' },
    ],
    [
      'the end of a certificate',
      ({ attempt }) =>
        attempt?.exchange?.certificateValidTo && (attempt.exchange.certificateValidTo.seconds = 1n << 60n),
      {
        exchange: {
          json: JSON.stringify({ dnsMs: 2, addresses: ['203.0.113.7'], reusedConnection: false }),
          certificate: undefined,
        },
      },
    ],
    [
      'the end of a certificate in another century, which is kept as a step',
      ({ attempt }) =>
        attempt?.exchange &&
        (attempt.exchange.certificateValidTo = timestampFromDate(new Date('2126-01-01T00:00:00Z'))),
      { exchange: { json: expect.stringContaining('2126-01-01T00:00:00.000Z'), certificate: undefined } },
    ],
    [
      'the duration of a step',
      ({ attempt }) => attempt?.exchange && (attempt.exchange.dnsMs = -1),
      {
        exchange: {
          json: JSON.stringify({
            addresses: ['203.0.113.7'],
            certificateValidTo: '2027-01-01T00:00:00.000Z',
            reusedConnection: false,
          }),
        },
      },
    ],
  ])('accepts a result with an implausible value of %s', (_what, change, expected) => {
    const { results, malformed } = decodeDeliveriesAttempted(encoded(attempted(change)));
    expect(malformed).toBeUndefined();
    expect(results[0]?.attempt).toMatchObject(expected);
  });
});
