import { describe, expect, test } from '@jest/globals';
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

const attempt = (given: Partial<ExplainedAttempt>): ExplainedAttempt => ({
  outcome: 'rejected',
  responseStatus: null,
  error: null,
  exchange: REACHED,
  secretVersion: 2,
  ...given,
});

const rejected = (responseStatus: number) => explainAttempt(attempt({ responseStatus }));

describe('a rejected attempt', () => {
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
  ])('with %d has its meaning and the next step', (status, what, advice) => {
    const explained = rejected(status);
    expect(explained.what).toContain(`responded with ${status}`);
    expect(explained.what).toContain(what);
    expect(explained.advice.join(' ')).toContain(advice);
  });
});

describe('an attempt that timed out', () => {
  const timedOut = (exchange: ExplainedAttempt['exchange']) =>
    explainAttempt(attempt({ outcome: 'timed_out', exchange })).what;

  test('names the step that it reached', () => {
    expect(timedOut({ ...REACHED, firstByteMs: null })).toContain('sent no response within 10 seconds');
    expect(timedOut(REACHED)).toContain('did not finish');
    expect(timedOut({ ...REACHED, tlsMs: null })).toContain('Could not connect');
    expect(timedOut({ ...REACHED, tlsMs: null, reusedConnection: true, firstByteMs: null })).toContain(
      'sent no response',
    );
    expect(timedOut(null)).toContain('Could not connect');
  });
});

describe('an attempt that failed in TLS', () => {
  const failed = (error: string) => explainAttempt(attempt({ outcome: 'tls_failed', error })).what;

  test('names the problem of the certificate', () => {
    expect(failed('the certificate has expired')).toBe(
      `The certificate of your server expired on ${formatExact(new Date('2026-01-02T03:04:05.000Z'))}, so nothing was sent.`,
    );
    expect(failed('the certificate is for another host name')).toContain('CN=old.example');
    expect(failed('the certificate is self-signed')).toContain(
      'is not trusted: the certificate is self-signed',
    );
    expect(failed('the certificate is not valid yet')).toContain('not valid yet');
    expect(failed('the TLS handshake failed')).toContain('could not agree');
  });
});

describe('an attempt without a connection', () => {
  const failed = (error: string) => explainAttempt(attempt({ outcome: 'connection_failed', error })).what;

  test('names the step where it failed', () => {
    expect(failed('the connection was refused')).toBe('Your server refused the connection.');
    expect(failed('the host cannot be reached')).toContain('over the network');
    expect(failed('the host did not take the connection in time')).toContain('over the network');
    expect(failed('the headers of the response were too large')).toContain(
      'the headers of the response were too large',
    );
    expect(failed('the connection was closed before the response was complete')).toContain(
      'without a response',
    );
    expect(failed('nothing was sent: the fault is on the side of this service')).toContain('on our side');
  });

  test('reports an address that is not public', () => {
    const { what } = explainAttempt(attempt({ outcome: 'endpoint_refused', exchange: null }));
    expect(what).toContain('does not resolve to a public address');
  });
});
