import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from '@jest/globals';
import {
  SubscriptionHealth,
  SubscriptionSchema,
  SubscriptionState,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { subscription } from '@partner/proto-contracts/public-api/webhook-subscription';
import { presentSubscription } from './present-subscription.js';

const complete = {
  id: 'whk_1',
  url: 'https://receiver.example/hook',
  description: '',
  events: ['install.*'],
  schemaVersion: 1,
  state: SubscriptionState.PAUSED,
  health: SubscriptionHealth.DEGRADED,
  secretVersion: 1,
  verified: false,
  createdAt: timestampFromDate(new Date('2026-08-26T14:03:00Z')),
  updatedAt: timestampFromDate(new Date('2026-08-26T14:03:00.250Z')),
};

describe('a subscription', () => {
  test('is shown in the words of the API', () => {
    const view = presentSubscription(create(SubscriptionSchema, complete));
    expect(view).toEqual({
      id: 'whk_1',
      url: 'https://receiver.example/hook',
      description: '',
      events: ['install.*'],
      schemaVersion: 1,
      state: 'paused',
      health: 'degraded',
      secretVersion: 1,
      pendingSecretVersion: null,
      verified: false,
      createdAt: '2026-08-26T14:03:00.000Z',
      updatedAt: '2026-08-26T14:03:00.250Z',
    });
    expect(subscription.parse(view)).toEqual(view);
  });

  test('is never shown with a state that is missing or not known here', () => {
    expect(() =>
      presentSubscription(create(SubscriptionSchema, { ...complete, state: SubscriptionState.UNSPECIFIED })),
    ).toThrow('a known subscription.state');
    const stateOfALaterVersion = Uint8Array.of(
      ...toBinary(SubscriptionSchema, create(SubscriptionSchema, complete)),
      SubscriptionSchema.field.state.number << 3,
      99,
    );
    expect(() => presentSubscription(fromBinary(SubscriptionSchema, stateOfALaterVersion))).toThrow(
      'a known subscription.state',
    );
    expect(() => presentSubscription(undefined)).toThrow('a subscription');
  });
});
