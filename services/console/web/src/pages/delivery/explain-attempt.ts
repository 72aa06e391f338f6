import { LIMITS } from '@partner/proto-contracts/api/limits';
import type { Attempt, Delivery } from '../../api/hooks.js';
import { formatDuration, formatExact, formatRelative } from '../../format.js';
import { isWaitingForSlot, nextAttemptOf } from '../../webhook-facts.js';
import type { Tone } from '../../tone.js';

/** Explanation of an attempt's outcome in plain words. */
export interface Explanation {
  /** One sentence about what happened. */
  readonly what: string;
  /** Advice, one sentence each; empty if no action is needed. */
  readonly advice: readonly string[];
}

/** Input of an explanation. */
export type ExplainedAttempt = Pick<
  Attempt,
  'outcome' | 'responseStatus' | 'error' | 'exchange' | 'secretVersion'
>;

/**
 * What statuses or technical reasons mean, and advice, by the pattern that they match. The first match counts, and the last pattern matches
 * any.
 */
type Meanings = Readonly<Record<string, readonly [what: string, ...advice: readonly string[]]>>;

const SECONDS = LIMITS.webhookTimeoutMs / 1_000;
const MAY_BE_PROCESSED =
  'Your server may have processed the event: deduplicate events by ID, so that a retry is harmless.';

const STATUSES =
  '200 OK, 201 Created, 202 Accepted, 204 No Content, 301 Moved Permanently, 302 Found, 307 Temporary Redirect, 308 Permanent Redirect, 400 Bad Request, 401 Unauthorized, 403 Forbidden, 404 Not Found, 405 Method Not Allowed, 408 Request Timeout, 409 Conflict, 410 Gone, 413 Content Too Large, 422 Unprocessable Content, 429 Too Many Requests, 500 Internal Server Error, 501 Not Implemented, 502 Bad Gateway, 503 Service Unavailable, 504 Gateway Timeout'.split(
    ', ',
  );

/** Returns a status with its reason phrase, e.g. `503 Service Unavailable`. */
export function statusText(status: number): string {
  return STATUSES.find((text) => text.startsWith(`${status} `)) ?? `Status ${status}`;
}

/** Explains an attempt's outcome, with advice. */
export function explainAttempt(attempt: ExplainedAttempt): Explanation {
  const { outcome, responseStatus, secretVersion } = attempt;
  const reason = attempt.error ?? '';
  switch (outcome) {
    case 'delivered':
      return { what: `Your server accepted it with ${responseStatus ?? '2xx'}.`, advice: [] };
    case 'timed_out':
      return explainTimeout(attempt);
    case 'tls_failed':
      return firstMeaning(reason, tlsMeanings(attempt));
    case 'connection_failed':
      return firstMeaning(reason, connectionMeanings(reason, responseStatus));
    case 'endpoint_refused':
      return {
        what: 'Nothing was sent: the webhook’s host does not resolve to a public address.',
        advice: [
          'Check that the host name of the URL exists in the public DNS and is spelled correctly.',
          'Check that all its addresses are public: private ones, such as 10.0.0.1 or localhost, are never contacted.',
          'If your server has moved, change the webhook’s URL.',
        ],
      };
    case 'rejected': {
      const { what, advice } = firstMeaning(String(responseStatus), statusMeanings(secretVersion));
      return { what: `Your server responded with ${responseStatus ?? 'no status'}${what}`, advice };
    }
  }
}

function firstMeaning(text: string, meanings: Meanings): Explanation {
  const found = Object.entries(meanings).find(([pattern]) => new RegExp(pattern).test(text));
  const [what = '', ...advice] = found?.[1] ?? [];
  return { what, advice };
}

function explainTimeout({ exchange }: ExplainedAttempt): Explanation {
  const isConnected = exchange !== null && (exchange.reusedConnection || exchange.tlsMs !== null);
  if (!isConnected) {
    return {
      what: `Could not connect to your server within ${SECONDS} seconds.`,
      advice: [
        'Check that your server is running and can be reached from the internet on port 443.',
        'Check that no firewall silently drops our connections.',
      ],
    };
  }
  return {
    what:
      exchange.firstByteMs === null
        ? `Your server accepted the connection but sent no response within ${SECONDS} seconds.`
        : `Your server started a response but did not finish it within ${SECONDS} seconds.`,
    advice: ['Respond with 200 as soon as the event is stored, and process it afterwards.', MAY_BE_PROCESSED],
  };
}

function tlsMeanings({ error, exchange }: ExplainedAttempt): Meanings {
  const { validTo = null, subject = null } = exchange?.certificate ?? {};
  const when = validTo === null ? '' : ` on ${formatExact(new Date(validTo))}`;
  const whose = subject === null ? 'for another host name' : `for ${subject}`;
  return {
    expired: [
      `The certificate of your server expired${when}, so nothing was sent.`,
      'Renew the certificate on your server, and automate its renewal.',
    ],
    'another host name': [
      `Your server presented a certificate ${whose} instead of one for the URL’s host, so nothing was sent.`,
      'Install a certificate that names the host of the URL exactly.',
      'If the URL is wrong, correct it in the webhook.',
    ],
    'not valid yet': [
      'The certificate of your server is not valid yet, so nothing was sent.',
      'Install a certificate that is valid today.',
    ],
    'self-signed|trusted authority': [
      `The certificate of your server is not trusted: ${error}. Nothing was sent.`,
      "Install a certificate from a public authority, such as Let's Encrypt.",
      'Have your server send the whole chain, including intermediate certificates.',
    ],
    '': [
      'Your server and ours could not agree on an encrypted connection, so nothing was sent.',
      'Check that your server speaks HTTPS on port 443, with TLS 1.2 or newer.',
      'Check that it doesn’t require a client certificate.',
    ],
  };
}

function connectionMeanings(reason: string, status: number | null): Meanings {
  return {
    'side of this service': [
      'Nothing was sent: internal error on our side.',
      'Replay the delivery. If that fails too, send its ID to support.',
    ],
    refused: [
      'Your server refused the connection.',
      'Check that your web server is running and listens on port 443.',
      'Check that no firewall refuses our connections.',
    ],
    'cannot be reached|in time': [
      'Your server could not be reached over the network.',
      'Check that your server is on and reachable from the internet on port 443.',
      'Check that the DNS entry of the host leads to the right address.',
    ],
    'headers|interim|valid HTTP': [
      `Your server responded with invalid HTTP: ${reason}.`,
      'Check whatever is in front of your application, such as a proxy, and its log from that time.',
    ],
    '': [
      `Your server closed the connection ${status === null ? 'without a response' : 'before its response was complete'}.`,
      'Check the log of your server at that time: it may have crashed or restarted.',
      MAY_BE_PROCESSED,
    ],
  };
}

function statusMeanings(secretVersion: number): Meanings {
  return {
    '^3': [
      ', a redirect. Redirects are not followed.',
      'Set the webhook’s URL to the final address. Often only https://, www. or a trailing slash differs.',
    ],
    '^40[13]': [
      ': it refused the request.',
      `Check that your server verifies the signature with the secret of this webhook; this was signed with version ${secretVersion}.`,
      'Allow requests to the webhook’s path without a login or an API key: the signature authenticates them.',
      'Check that your server’s clock is right: most receivers refuse signatures older than 5 minutes.',
    ],
    '^4(?:04|10)': [
      ': there is nothing at this path.',
      'Check the path of the webhook’s URL.',
      'Check that the application with that path is deployed.',
    ],
    '^405': [
      ': it does not accept POST requests at this path.',
      'Check the path of the URL, and that your application accepts POST there.',
    ],
    '^413': [
      ': the event is larger than its limit.',
      'Raise the request body limit of your server or its proxy to at least 1 MiB.',
    ],
    '^429': [
      ': its rate limit is exceeded.',
      'Raise the rate limit of your server for this path. On a busy day many events arrive each minute.',
      'Your server can set the backoff with a retry-after header.',
    ],
    '^50[234]': [
      ': the application behind it was not available.',
      'Check that the application is running and not overloaded. See its log at that time.',
    ],
    '^4': [
      ': it did not accept the request.',
      'Read your server’s response below: it often says why.',
      'Check that your application ignores unknown fields and events.',
    ],
    '^5': [
      ': your application failed.',
      'Look for the delivery ID below in your server’s log from that time to find the error.',
    ],
    '': [', which is not a success.', 'Respond with 200 or 204 when an event is stored.'],
  };
}

/** Summary of a delivery at the top of its page. */
interface SumUp {
  readonly tone: Tone;
  readonly what: string;
  readonly advice: readonly string[];
}

/** Summarises a delivery. Attempts are given oldest first, and the rate of the webhook if it is known and has one. */
export function sumUp(
  delivery: Delivery,
  attempts: readonly Attempt[],
  now: Date,
  perSecond: number | null = null,
): SumUp {
  const last = attempts.at(-1);
  const explained = last === undefined ? undefined : explainAttempt(last);
  const why = explained?.what ?? '';
  const advice = explained?.advice ?? [];
  const next = nextOf(delivery, now, perSecond);
  switch (delivery.state) {
    case 'delivered':
      if (delivery.wrongSignature) {
        return {
          tone: 'warn',
          what: `${why} This test was signed wrongly on purpose: your server must refuse it.`,
          advice: ['Verify the signature of each delivery, and respond with 401 if it does not match.'],
        };
      }
      return {
        tone: 'good',
        what: `${why}${delivery.attempts > 1 ? ` It took ${delivery.attempts} attempts.` : ''}${last === undefined ? '' : ` The response came after ${formatDuration(last.durationMs)}.`}`,
        advice: [],
      };
    case 'dead_lettered':
      return {
        tone: 'bad',
        what: `${why} Out of retries after ${delivery.attempts} attempts. Replay the delivery to send it again.`,
        advice: [...advice, 'Then replay the delivery.'],
      };
    case 'retry_scheduled':
      return {
        tone: 'warn',
        what: `${why} ${next}. Attempt ${delivery.attempts} of ${LIMITS.webhookAttempts} failed.`,
        advice,
      };
    case 'pending':
      return { tone: 'info', what: `Not sent yet. ${next}.`, advice: [] };
    case 'held':
      return {
        tone: 'info',
        what: 'Held while the webhook is paused. It is sent when you activate the webhook.',
        advice:
          last === undefined || last.outcome === 'delivered' ? [] : [`The last attempt: ${why}`, ...advice],
      };
    case 'cancelled':
      return {
        tone: 'quiet',
        what:
          last === undefined || (!delivery.wrongSignature && delivery.testUrl === null)
            ? 'Canceled: the webhook was deleted first.'
            : `${why} ${delivery.wrongSignature ? 'This test was signed wrongly on purpose' : 'This was a test of another URL'}, so it is sent once.`,
        advice: [],
      };
  }
}

/** Describes the next step of a delivery that is neither held nor finished. Without a time an attempt is in flight. */
function nextOf(delivery: Delivery, now: Date, perSecond: number | null): string {
  const next = nextAttemptOf(delivery);
  if (delivery.waitsFor !== null)
    return 'It waits for the event before it about the same resource: this webhook gets them in order';
  if (next === null) return 'An attempt is in progress';
  if (!isWaitingForSlot(next, now)) {
    return `The next attempt starts ${formatRelative(new Date(next), now)}`;
  }
  return perSecond === null
    ? 'The next attempt is due and waits for earlier deliveries to this webhook'
    : `The next attempt is due: this webhook is limited to ${perSecond} per second`;
}
