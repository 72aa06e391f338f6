import { describe, expect, test } from '@jest/globals';
import type { AttemptRow } from './attempt-columns.js';
import { shownAttempt, shownDelivery } from './delivery-resource.js';

const NOTHING_MORE: AttemptRow = {
  attemptId: 'dlv_3',
  number: 2,
  startedAt: new Date('2026-08-26T14:04:01Z'),
  durationMs: 3,
  outcome: 'endpoint_refused',
  responseStatus: null,
  responseHeaders: null,
  responseBody: null,
  error: 'the host has no public address',
  remoteAddress: null,
  secretVersion: 1,
  exchange: null,
};

test('a delivery has null for attempts and times that it does not have', () => {
  const shown = shownDelivery({
    id: 'dlv_1',
    subscriptionId: 'whk_1',
    eventId: 'evt_1',
    event: 'install.test',
    state: 'retry_scheduled',
    attempts: 1,
    nextAttemptAt: new Date('2026-08-26T14:04:00Z'),
    createdAt: new Date('2026-08-26T14:03:00Z'),
    finishedAt: null,
    resourceType: 'webhook_subscription',
    resourceId: 'whk_1',
    isTest: false,
    replayOf: null,
    bulkReplayId: null,
    wrongSignature: false,
    testUrl: 'https://receiver.example/hooks/secret',
    eventNumber: '7',
  });
  expect(shown).toEqual({
    id: 'dlv_1',
    subscriptionId: 'whk_1',
    eventId: 'evt_1',
    event: 'install.test',
    state: 'retry_scheduled',
    attempts: 1,
    nextAttemptAt: '2026-08-26T14:04:00.000Z',
    createdAt: '2026-08-26T14:03:00.000Z',
    finishedAt: null,
    resource: { type: 'webhook_subscription', id: 'whk_1' },
    isTest: false,
    replayOf: null,
    bulkReplayId: null,
    wrongSignature: false,
    testUrl: 'https://receiver.example/hook…',
    number: 7,
  });
});

describe('an attempt', () => {
  test('has null for steps that were not reached', () => {
    expect(shownAttempt(NOTHING_MORE)).toEqual({
      deliveryId: 'dlv_3',
      number: 2,
      startedAt: '2026-08-26T14:04:01.000Z',
      durationMs: 3,
      outcome: 'endpoint_refused',
      responseStatus: null,
      responseHeaders: null,
      responseBody: null,
      error: 'the host has no public address',
      remoteAddress: null,
      secretVersion: 1,
      exchange: null,
    });
  });

  test('shows the response as text, with U+FFFD for bytes that are not UTF-8', () => {
    const responseBody = Buffer.from([0x6f, 0x68, 0xff]);
    expect(shownAttempt({ ...NOTHING_MORE, responseBody }).responseBody).toBe('oh\ufffd');
  });

  test('shows the stored steps, and the known fields of those from a later version', () => {
    const exchange = {
      dnsMs: 2,
      addresses: ['192.0.2.1'],
      tlsProtocol: 'TLSv1.3',
      certificateSubject: 'receiver.example',
      certificateValidTo: '2027-01-01T00:00:00.000Z',
      reusedConnection: true,
      ofALaterVersion: true,
    };
    expect(shownAttempt({ ...NOTHING_MORE, exchange }).exchange).toEqual({
      dnsMs: 2,
      addresses: ['192.0.2.1'],
      connectMs: null,
      tlsMs: null,
      tlsProtocol: 'TLSv1.3',
      certificate: { subject: 'receiver.example', issuer: null, validTo: '2027-01-01T00:00:00.000Z' },
      reusedConnection: true,
      firstByteMs: null,
    });
    expect(shownAttempt({ ...NOTHING_MORE, exchange: {} }).exchange).toMatchObject({ certificate: null });
  });
});
