import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from '@jest/globals';
import {
  AttemptOutcome,
  DeliverySchema,
  DeliveryState,
  GetDeliveryResponseSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { DELIVERY_STATES, deliveryWithAttempts } from '@partner/proto-contracts/public-api/webhook-delivery';
import { deliveryStateOf, presentDelivery, presentDeliveryWithAttempts } from './present-delivery.js';

const at = (text: string) => timestampFromDate(new Date(text));

const delivery = {
  id: 'dlv_1',
  subscriptionId: 'whk_1',
  eventId: 'evt_1',
  event: 'install.test',
  state: DeliveryState.RETRY_SCHEDULED,
  attempts: 1,
  nextAttemptAt: at('2026-08-26T14:04:00Z'),
  createdAt: at('2026-08-26T14:03:00Z'),
  resourceType: 'subscription',
  resourceId: 'whk_1',
};

describe('a delivery', () => {
  test('is shown in the words of the API, with null where nothing is due or finished', () => {
    expect(presentDelivery(create(DeliverySchema, delivery))).toEqual({
      id: 'dlv_1',
      subscriptionId: 'whk_1',
      eventId: 'evt_1',
      event: 'install.test',
      state: 'retry_scheduled',
      attempts: 1,
      nextAttemptAt: '2026-08-26T14:04:00.000Z',
      createdAt: '2026-08-26T14:03:00.000Z',
      finishedAt: null,
      resource: { type: 'subscription', id: 'whk_1' },
      replayOf: null,
      bulkReplayId: null,
    });
  });

  test.each(DELIVERY_STATES)('keeps the name of its state there and back: %s', (state) => {
    const message = create(DeliverySchema, { ...delivery, state: deliveryStateOf(state) });
    expect(presentDelivery(message).state).toBe(state);
  });

  test('is shown with its attempts, what was answered and the exact text that is sent', () => {
    const body = '{"id":"evt_1","name":"Müller"}';
    const view = presentDeliveryWithAttempts(
      create(GetDeliveryResponseSchema, {
        delivery,
        attempts: [
          {
            deliveryId: 'dlv_2',
            number: 1,
            startedAt: at('2026-08-26T14:03:01Z'),
            durationMs: 12,
            outcome: AttemptOutcome.REJECTED,
            responseStatus: 500,
            responseBody: new Uint8Array([0x6f, 0x68, 0xff]),
            remoteAddress: '192.0.2.1',
            secretVersion: 1,
            exchange: {
              dnsMs: 2,
              addresses: ['192.0.2.1'],
              tlsProtocol: 'TLSv1.3',
              certificateSubject: 'receiver.example',
              certificateValidTo: at('2027-01-01T00:00:00Z'),
              reusedConnection: true,
            },
          },
          {
            deliveryId: 'dlv_3',
            number: 2,
            startedAt: at('2026-08-26T14:04:01Z'),
            durationMs: 3,
            outcome: AttemptOutcome.ENDPOINT_REFUSED,
            error: 'the host has no public address',
            secretVersion: 1,
          },
        ],
        body: new TextEncoder().encode(body),
      }),
    );
    expect(view.body).toBe(body);
    expect(view.attempts).toEqual([
      {
        deliveryId: 'dlv_2',
        number: 1,
        startedAt: '2026-08-26T14:03:01.000Z',
        durationMs: 12,
        outcome: 'rejected',
        responseStatus: 500,
        responseBody: 'oh\ufffd',
        error: null,
        remoteAddress: '192.0.2.1',
        secretVersion: 1,
        exchange: {
          dnsMs: 2,
          addresses: ['192.0.2.1'],
          connectMs: null,
          tlsMs: null,
          tlsProtocol: 'TLSv1.3',
          certificate: { subject: 'receiver.example', issuer: null, validTo: '2027-01-01T00:00:00.000Z' },
          reusedConnection: true,
          firstByteMs: null,
        },
      },
      {
        deliveryId: 'dlv_3',
        number: 2,
        startedAt: '2026-08-26T14:04:01.000Z',
        durationMs: 3,
        outcome: 'endpoint_refused',
        responseStatus: null,
        responseBody: null,
        error: 'the host has no public address',
        remoteAddress: null,
        secretVersion: 1,
        exchange: null,
      },
    ]);
    expect(deliveryWithAttempts.parse(view)).toEqual(view);
  });

  test('is shown without a body once its event is no longer kept', () => {
    const view = presentDeliveryWithAttempts(create(GetDeliveryResponseSchema, { delivery, attempts: [] }));
    expect(view.body).toBeNull();
    expect(deliveryWithAttempts.parse(view)).toEqual(view);
  });
});
