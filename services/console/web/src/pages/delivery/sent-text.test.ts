import { expect, test } from '@jest/globals';
import { readText, sentHeaders } from './sent-text.js';

test('the headers of an attempt have its id and time but no signature', () => {
  const headers = sentHeaders({
    delivery: { event: 'install.status_changed', eventId: 'evt_1', isTest: false },
    attempt: { deliveryId: 'dlv_2', startedAt: '2026-09-03T13:02:44.908Z', secretVersion: 3 },
    body: '{"name":"Zoë"}',
    url: 'https://hooks.example/in',
  });
  expect(Object.fromEntries(headers)).toEqual({
    host: 'hooks.example',
    'content-type': 'application/json',
    'user-agent': 'partner-integration-service-webhooks/1.0',
    'x-svc-event': 'install.status_changed',
    'x-svc-delivery-id': 'dlv_2',
    'x-svc-timestamp': '1788440564',
    'x-svc-secret-version': '3',
    'x-svc-signature': 'v1=(not stored)',
    'webhook-id': 'evt_1',
    'webhook-timestamp': '1788440564',
    'webhook-signature': 'v1,(not stored)',
    'content-length': '15',
  });
});

test('unknown headers are omitted', () => {
  const headers = sentHeaders({
    delivery: { event: 'install.test', eventId: 'evt_1', isTest: true },
    attempt: { deliveryId: 'dlv_2', startedAt: '2026-09-03T13:02:44.908Z', secretVersion: 1 },
    body: null,
    url: undefined,
  });
  expect(headers).toContainEqual(['x-svc-test', 'true']);
  expect(headers.map(([name]) => name)).not.toContain('host');
  expect(headers.map(([name]) => name)).not.toContain('content-length');
});

test('a body is empty, text, JSON or binary', () => {
  expect(readText('')).toEqual({ kind: 'empty' });
  expect(readText('Out of order\r\n')).toEqual({ kind: 'text', text: 'Out of order\r\n' });
  expect(readText('{"a":1}')).toEqual({ kind: 'json', text: '{"a":1}', pretty: '{\n  "a": 1\n}' });
  expect(readText('12')).toEqual({ kind: 'text', text: '12' });
  expect(readText('\u0089PNG\u0000\uFFFD\n.')).toEqual({ kind: 'binary', text: '·PNG··\n.' });
});

test('a response that was cut within a character is still text', () => {
  expect(readText('Grüße \uFFFD').kind).toBe('text');
  expect(readText('\uFFFDGrüße').kind).toBe('binary');
});
