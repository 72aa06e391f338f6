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

const VALID_TO = new Date('2027-01-01T00:00:00Z');
const RESULT = { deliveryId: 'dlv_1', leaseId: 'lease', urlVersion: 2, retryAfterSeconds: 30 };
const ATTEMPT = {
  ...{ deliveryId: 'dlv_2', number: 3, durationMs: 120, secretVersion: 1, remoteAddress: '203.0.113.7' },
  ...{ responseStatus: 503, responseBody: Uint8Array.of(0, 255) },
};
const STEPS = { dnsMs: 2, addresses: ['203.0.113.7'], reusedConnection: false };
/** As they are stored, apart from the first one. */
const STORED = { addresses: STEPS.addresses, certificateValidTo: VALID_TO, reusedConnection: false };

function attempted(change: (message: DeliveryAttempted) => unknown = () => undefined): DeliveryAttempted {
  const message = create(DeliveryAttemptedSchema, {
    ...RESULT,
    attempt: {
      ...ATTEMPT,
      startedAt: { seconds: 1_787_000_000n, nanos: 5_000_000 },
      outcome: AttemptOutcome.REJECTED,
      responseHeaders: { headers: [{ name: 'server', value: 'n\0' }] },
      error: 'responded\0 503',
      exchange: { ...STEPS, certificateValidTo: timestampFromDate(VALID_TO) },
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
    const json = JSON.stringify({ dnsMs: 2, ...STORED });
    const exchange = { json, certificate: { validFrom: undefined, validTo: VALID_TO } };
    const attempt = {
      ...{ ...ATTEMPT, startedAt: new Date(1_787_000_000_005), outcome: 'rejected', exchange },
      ...{ responseHeaders: '[{"name":"server","value":"n"}]', error: 'responded 503' },
    };
    const decoded = { malformed: undefined, results: [{ ...RESULT, attempt }] };
    expect(decodeDeliveriesAttempted(encoded(attempted()))).toEqual(decoded);
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
      { exchange: { json: JSON.stringify(STEPS), certificate: undefined } },
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
      { exchange: { json: JSON.stringify(STORED) } },
    ],
  ])('accepts a result with an implausible value of %s', (_what, change, expected) => {
    const { results, malformed } = decodeDeliveriesAttempted(encoded(attempted(change)));
    expect(malformed).toBeUndefined();
    expect(results[0]?.attempt).toMatchObject(expected);
  });
});
