import { LIMITS } from '@partner/proto-contracts/api/limits';
import type { Attempt } from '../../api/operations.js';
import { formatExact } from '../../format.js';

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

const SECONDS = LIMITS.webhookTimeoutMs / 1_000;

/** Explains an attempt's outcome, with advice. */
export function explainAttempt(attempt: ExplainedAttempt): Explanation {
  switch (attempt.outcome) {
    case 'delivered':
      return { what: `Your server accepted it with ${attempt.responseStatus ?? '2xx'}.`, advice: [] };
    case 'timed_out':
      return explainTimeout(attempt);
    case 'tls_failed':
      return explainTls(attempt);
    case 'connection_failed':
      return explainConnection(attempt);
    case 'endpoint_refused':
      return {
        what: 'Nothing was sent: the webhook’s host does not resolve to a public address.',
        advice: [
          'Check that the host name of the URL exists in the public DNS and is spelled correctly.',
          'Check that all its addresses are public: private ones, such as 10.0.0.1 or localhost, are never contacted.',
          'If your server has moved, change the webhook’s URL.',
        ],
      };
    case 'rejected':
      return explainStatus(attempt.responseStatus ?? 0, attempt.secretVersion);
  }
}

function explainTimeout({ exchange }: ExplainedAttempt): Explanation {
  const isConnected = exchange !== null && (exchange.reusedConnection || exchange.tlsMs !== null);
  if (!isConnected) {
    return {
      what: `Could not connect to your server within ${SECONDS} seconds.`,
      advice: [
        'Check that your server runs and can be reached from the internet on port 443.',
        'Check that no firewall silently drops our connections.',
      ],
    };
  }
  const began = exchange.firstByteMs !== null;
  return {
    what: began
      ? `Your server started a response but did not finish it within ${SECONDS} seconds.`
      : `Your server accepted the connection but sent no response within ${SECONDS} seconds.`,
    advice: [
      'Respond with 200 as soon as the event is stored, and process it afterwards.',
      'Your server may have processed the event: deduplicate events by ID, so that a retry is harmless.',
    ],
  };
}

function explainTls({ error, exchange }: ExplainedAttempt): Explanation {
  const reason = error ?? '';
  const validTo = exchange?.certificate?.validTo ?? null;
  if (reason.includes('expired')) {
    const when = validTo === null ? '' : ` on ${formatExact(new Date(validTo))}`;
    return {
      what: `The certificate of your server expired${when}, so nothing was sent.`,
      advice: ['Renew the certificate on your server, and automate its renewal.'],
    };
  }
  if (reason.includes('another host name')) {
    const subject = exchange?.certificate?.subject ?? null;
    return {
      what: `Your server showed a certificate ${subject === null ? 'of another host name' : `of ${subject}`} instead of one for the host of the URL, so nothing was sent.`,
      advice: [
        'Install a certificate that names the host of the URL exactly.',
        'If the URL is wrong, correct it in the webhook.',
      ],
    };
  }
  if (reason.includes('not valid yet')) {
    return {
      what: 'The certificate of your server is not valid yet, so nothing was sent.',
      advice: ['Install a certificate that is valid today.'],
    };
  }
  if (reason.includes('self-signed') || reason.includes('trusted authority')) {
    return {
      what: `The certificate of your server is not trusted: ${reason}. Nothing was sent.`,
      advice: [
        "Install a certificate of a public authority, such as Let's Encrypt.",
        'Have your server send the whole chain, including intermediate certificates.',
      ],
    };
  }
  return {
    what: 'Your server and ours could not agree on an encrypted connection, so nothing was sent.',
    advice: [
      'Check that your server speaks HTTPS on port 443, with TLS 1.2 or newer.',
      'Check that it asks for no client certificate.',
    ],
  };
}

function explainConnection({ error, responseStatus }: ExplainedAttempt): Explanation {
  const reason = error ?? '';
  if (reason.includes('side of this service')) {
    return {
      what: 'Nothing was sent: internal error on our side.',
      advice: ['Replay the delivery; if that fails too, tell support its id.'],
    };
  }
  if (reason.includes('refused')) {
    return {
      what: 'Your server refused the connection.',
      advice: [
        'Check that your web server runs and listens on port 443.',
        'Check that a firewall does not refuse our connections.',
      ],
    };
  }
  if (reason.includes('cannot be reached') || reason.includes('in time')) {
    return {
      what: 'Your server could not be reached over the network.',
      advice: [
        'Check that your server is on and reachable from the internet on port 443.',
        'Check that the DNS entry of the host leads to the right address.',
      ],
    };
  }
  if (reason.includes('headers') || reason.includes('interim') || reason.includes('valid HTTP')) {
    return {
      what: `Your server responded with invalid HTTP: ${reason}.`,
      advice: ['Check what stands in front of your application, such as a proxy, and its log of that time.'],
    };
  }
  return {
    what: `Your server closed the connection ${responseStatus === null ? 'without a response' : 'before its response was complete'}.`,
    advice: [
      'Check the log of your server at that time: it may have crashed or restarted.',
      'Your server may have processed the event: deduplicate events by ID, so that a retry is harmless.',
    ],
  };
}

function explainStatus(status: number, secretVersion: number): Explanation {
  if (status >= 300 && status <= 399) {
    return {
      what: `Your server responded with ${status}, a redirect. Redirects are not followed.`,
      advice: [
        'Set the webhook’s URL to the final address. Often only https://, www. or a trailing slash differs.',
      ],
    };
  }
  switch (status) {
    case 401:
    case 403:
      return {
        what: `Your server responded with ${status}: it refused the request.`,
        advice: [
          `Check that your server verifies the signature with the secret of this webhook; this was signed with version ${secretVersion}.`,
          'Allow requests to the webhook’s path without a login or an API key: the signature authenticates them.',
          'Check that the clock of your server is right: signatures older than 5 minutes are refused by most receivers.',
        ],
      };
    case 404:
    case 410:
      return {
        what: `Your server responded with ${status}: nothing is at this path.`,
        advice: [
          'Check the path of the webhook’s URL.',
          'Check that the application with that path is deployed.',
        ],
      };
    case 405:
      return {
        what: 'Your server responded with 405: it does not accept POST requests at this path.',
        advice: ['Check the path of the URL, and that your application accepts POST there.'],
      };
    case 413:
      return {
        what: 'Your server responded with 413: the event is larger than its limit.',
        advice: ['Raise the request body limit of your server or its proxy to at least 1 MiB.'],
      };
    case 429:
      return {
        what: 'Your server responded with 429: its rate limit is exceeded.',
        advice: [
          'Raise the rate limit of your server for this path. On a busy day many events arrive each minute.',
          'Your server can set the backoff with a retry-after header.',
        ],
      };
    case 502:
    case 503:
    case 504:
      return {
        what: `Your server responded with ${status}: the application behind it was not available.`,
        advice: ['Check that the application runs and is not overloaded. See its log at that time.'],
      };
    default:
  }
  if (status >= 400 && status <= 499) {
    return {
      what: `Your server responded with ${status}: it did not accept the request.`,
      advice: [
        'Read your server’s response below: it often says why.',
        'Check that your application ignores unknown fields and events.',
      ],
    };
  }
  if (status >= 500) {
    return {
      what: `Your server responded with ${status}: your application failed.`,
      advice: ['Find the error in the log of your server at that time by the delivery ID below.'],
    };
  }
  return {
    what: `Your server responded with ${status === 0 ? 'no status' : status}, which is not a success.`,
    advice: ['Respond with 200 or 204 when an event is stored.'],
  };
}
