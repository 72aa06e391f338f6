import { expect, test } from '@jest/globals';
import { formatExact } from '../../format.js';
import { explainAttempt, type ExplainedAttempt, sumUp } from './explain-attempt.js';
import { ATTEMPT_EXAMPLE } from '@partner/proto-contracts/resources/attempt/attempt';
import { PENDING_DELIVERY_EXAMPLE } from '@partner/proto-contracts/resources/delivery/delivery';
import type { Attempt, Delivery } from '../../api/hooks.js';

const REACHED = {
  dnsMs: 3,
  addresses: ['192.0.2.7'],
  connectMs: 10,
  tlsMs: 20,
  tlsProtocol: 'TLSv1.3',
  certificate: { subject: 'CN=old.example', issuer: 'CN=Authority', validTo: '2026-01-02T03:04:05.000Z' },
  reusedConnection: false,
  firstByteMs: 5,
};

const explain = (outcome: ExplainedAttempt['outcome'], given: Partial<ExplainedAttempt>) =>
  explainAttempt({
    ...{ outcome, responseStatus: null, error: null, exchange: REACHED, secretVersion: 2 },
    ...given,
  });

test.each([
  [301, 'a redirect', 'final address'],
  [400, 'did not accept the request', 'Read your server’s response'],
  [401, 'it refused the request', 'version 2'],
  [403, 'it refused the request', 'without a login'],
  [404, 'there is nothing at this path', 'webhook’s URL'],
  [405, 'does not accept POST', 'accepts POST'],
  [410, 'there is nothing at this path', 'webhook’s URL'],
  [413, 'larger than its limit', '1 MiB'],
  [429, 'rate limit is exceeded', 'retry-after'],
  [500, 'your application failed', 'your server’s log'],
  [503, 'was not available', 'not overloaded'],
  [100, 'is not a success', '200 or 204'],
])('the status %d has its meaning and the next step', (responseStatus, what, advice) => {
  const explained = explain('rejected', { responseStatus });
  expect(explained.what).toContain(`responded with ${responseStatus}`);
  expect(explained.what).toContain(what);
  expect(explained.advice.join(' ')).toContain(advice);
});

const EXPIRY = formatExact(new Date(REACHED.certificate.validTo));

test.each([
  ['the certificate has expired', `certificate of your server expired on ${EXPIRY}, so nothing was sent.`],
  ['the certificate is for another host name', 'CN=old.example'],
  ['the certificate is self-signed', 'is not trusted: the certificate is self-signed'],
  ['the certificate is not valid yet', 'not valid yet'],
  ['the TLS handshake failed', 'could not agree'],
])('the TLS failure "%s" names the problem of the certificate', (error, what) => {
  expect(explain('tls_failed', { error }).what).toContain(what);
});

test.each([
  ['the connection was refused', 'Your server refused the connection.'],
  ['the host cannot be reached', 'over the network'],
  ['the host did not accept the connection in time', 'over the network'],
  ['the headers of the response were too large', 'the headers of the response were too large'],
  ['the connection was closed before the response was complete', 'without a response'],
  ['nothing was sent: an error on the side of this service', 'on our side'],
])('the failed connection "%s" names its step', (error, what) => {
  expect(explain('connection_failed', { error }).what).toContain(what);
});

test.each([
  [{ ...REACHED, firstByteMs: null }, 'sent no response within 10 seconds'],
  [REACHED, 'did not finish'],
  [{ ...REACHED, tlsMs: null }, 'Could not connect'],
  [{ ...REACHED, tlsMs: null, reusedConnection: true, firstByteMs: null }, 'sent no response'],
  [null, 'Could not connect'],
])('a timeout names the step that it reached', (exchange, what) => {
  expect(explain('timed_out', { exchange }).what).toContain(what);
});

test('an address that is not public is named', () => {
  expect(explain('endpoint_refused', {}).what).toContain('does not resolve to a public address');
});

const NOW = new Date('2026-09-03T13:00:00.000Z');

const DELIVERY: Delivery = {
  ...PENDING_DELIVERY_EXAMPLE,
  state: 'retry_scheduled',
  attempts: 2,
  nextAttemptAt: '2026-09-03T13:05:00.000Z',
};

const ATTEMPT: Attempt = {
  ...ATTEMPT_EXAMPLE,
  number: 2,
  startedAt: '2026-09-03T12:59:00.000Z',
  durationMs: 82,
  outcome: 'rejected',
  responseStatus: 404,
  responseHeaders: null,
  responseBody: '',
  error: 'the endpoint responded with 404',
  exchange: null,
};

const whatOf = (given: Partial<Delivery>, attempts: readonly Attempt[] = [ATTEMPT]) =>
  sumUp({ ...DELIVERY, ...given }, attempts, NOW).what;

test('a delivery with a pending retry has the reason and the time', () => {
  expect(whatOf({})).toBe(
    'Your server responded with 404: there is nothing at this path. The next attempt starts in 5 minutes. Attempt 2 of 8 failed.',
  );
  expect(whatOf({ nextAttemptAt: null })).toContain('An attempt is in progress');
  expect(whatOf({ nextAttemptAt: null, waitsFor: 'dlv_1' })).toContain('waits for the event before it');
  expect(whatOf({ nextAttemptAt: '2026-09-03T12:59:30.000Z' })).toContain(
    'The next attempt is due and waits for earlier deliveries to this webhook',
  );
  const limited = sumUp({ ...DELIVERY, nextAttemptAt: '2026-09-03T12:59:30.000Z' }, [], NOW, 5);
  expect(limited.what).toContain('this webhook is limited to 5 per second');
});

test('a finished or waiting delivery is described as such', () => {
  const delivered: Attempt = { ...ATTEMPT, outcome: 'delivered', responseStatus: 204 };
  expect(whatOf({ state: 'delivered' }, [ATTEMPT, delivered])).toBe(
    'Your server accepted it with 204. It took 2 attempts. The response came after 82 ms.',
  );
  expect(whatOf({ state: 'dead_lettered', attempts: 8 })).toContain('Out of retries after 8 attempts');
  expect(whatOf({ state: 'pending' }, [])).toContain('Not sent yet');
  expect(whatOf({ state: 'held' }, [])).toContain('the webhook is paused');
  expect(whatOf({ state: 'cancelled' }, [])).toContain('the webhook was deleted');
  expect(whatOf({ state: 'cancelled', wrongSignature: true })).toContain('signed wrongly on purpose');
  expect(whatOf({ state: 'cancelled', testUrl: 'https://b.example/' })).toContain('a test of another URL');
  expect(whatOf({ state: 'delivered', wrongSignature: true }, [delivered])).toContain('must refuse it');
});
