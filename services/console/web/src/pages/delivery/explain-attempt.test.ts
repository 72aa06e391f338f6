import { expect, test } from '@jest/globals';
import { formatExact } from '../../format.js';
import { type ExplainedAttempt, explainAttempt } from './explain-attempt.js';

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
  [404, 'nothing is at this path', 'webhook’s URL'],
  [405, 'does not accept POST', 'accepts POST'],
  [410, 'nothing is at this path', 'webhook’s URL'],
  [413, 'larger than its limit', '1 MiB'],
  [429, 'rate limit is exceeded', 'retry-after'],
  [500, 'your application failed', 'log of your server'],
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
  ['the host did not take the connection in time', 'over the network'],
  ['the headers of the response were too large', 'the headers of the response were too large'],
  ['the connection was closed before the response was complete', 'without a response'],
  ['nothing was sent: the fault is on the side of this service', 'on our side'],
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
