import { LIMITS } from '@partner/proto-contracts/public-api/limits';
import type { Attempt } from '../../api/deliveries.js';
import { formatExact } from '../../format.js';

/** Why an attempt came out as it did, for somebody who is no engineer. */
export interface Explanation {
  /** What happened, in a sentence. */
  readonly what: string;
  /** What to do about it, a sentence each; none when there is nothing to do. */
  readonly advice: readonly string[];
}

/** What an explanation is made from. */
export type ExplainedAttempt = Pick<
  Attempt,
  'outcome' | 'responseStatus' | 'error' | 'exchange' | 'secretVersion'
>;

const SECONDS = LIMITS.webhookTimeoutMs / 1_000;

/** Tells what happened in an attempt and what to do about it. */
export function explainAttempt(attempt: ExplainedAttempt, timeZone?: string): Explanation {
  switch (attempt.outcome) {
    case 'delivered':
      return { what: `Your server took it and answered ${attempt.responseStatus ?? '2xx'}.`, advice: [] };
    case 'timed_out':
      return explainTimeout(attempt);
    case 'tls_failed':
      return explainTls(attempt, timeZone);
    case 'connection_failed':
      return explainConnection(attempt);
    case 'endpoint_refused':
      return {
        what: 'Nothing was sent, because the address of the webhook does not lead to a public server.',
        advice: [
          'Check that the host name of the URL exists in the public DNS and has no typing error.',
          'Check that all its addresses are public: private ones, such as 10.0.0.1 or localhost, are never contacted.',
          'If your server has moved, enter its new URL in the webhook.',
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
      what: `No connection to your server came about within ${SECONDS} seconds.`,
      advice: [
        'Check that your server runs and can be reached from the internet on port 443.',
        'Check that no firewall silently drops our connections.',
      ],
    };
  }
  const began = exchange.firstByteMs !== null;
  return {
    what: began
      ? `Your server began to answer but had not finished after ${SECONDS} seconds.`
      : `Your server was reached but gave no answer within ${SECONDS} seconds.`,
    advice: [
      'Have your server answer 200 as soon as it has stored the event, and do the work afterwards.',
      'It may have done the work nevertheless: have it recognise events by their id, so that a repeat is harmless.',
    ],
  };
}

function explainTls({ error, exchange }: ExplainedAttempt, timeZone?: string): Explanation {
  const fault = error ?? '';
  const validTo = exchange?.certificate?.validTo ?? null;
  if (fault.includes('expired')) {
    const when = validTo === null ? '' : ` on ${formatExact(new Date(validTo), timeZone)}`;
    return {
      what: `The certificate of your server expired${when}, so nothing was sent.`,
      advice: ['Renew the certificate on your server, and have it renewed automatically from then on.'],
    };
  }
  if (fault.includes('another host name')) {
    const subject = exchange?.certificate?.subject ?? null;
    return {
      what: `Your server showed a certificate ${subject === null ? 'of another host name' : `of ${subject}`} instead of one for the host of the URL, so nothing was sent.`,
      advice: [
        'Install a certificate that names the host of the URL exactly.',
        'If the URL is wrong, correct it in the webhook.',
      ],
    };
  }
  if (fault.includes('not valid yet')) {
    return {
      what: 'The certificate of your server is not valid yet, so nothing was sent.',
      advice: ['Install a certificate that is valid today.'],
    };
  }
  if (fault.includes('self-signed') || fault.includes('trusted authority')) {
    return {
      what: `The certificate of your server can not be trusted: ${fault}. Nothing was sent.`,
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
  const fault = error ?? '';
  if (fault.includes('side of this service')) {
    return {
      what: 'Nothing was sent. The fault is ours.',
      advice: ['Replay the delivery; if that fails too, tell support its id.'],
    };
  }
  if (fault.includes('refused')) {
    return {
      what: 'Your server refused the connection.',
      advice: [
        'Check that your web server runs and listens on port 443.',
        'Check that a firewall does not refuse our connections.',
      ],
    };
  }
  if (
    fault.includes('can not be reached') ||
    fault.includes('cannot be reached') ||
    fault.includes('in time')
  ) {
    return {
      what: 'Your server could not be reached over the network.',
      advice: [
        'Check that your server is on and reachable from the internet on port 443.',
        'Check that the DNS entry of the host leads to the right address.',
      ],
    };
  }
  if (fault.includes('headers') || fault.includes('interim') || fault.includes('valid HTTP')) {
    return {
      what: `Your server answered in a way that could not be understood: ${fault}.`,
      advice: ['Check what stands in front of your application, such as a proxy, and its log of that time.'],
    };
  }
  return {
    what: `Your server closed the connection ${responseStatus === null ? 'without an answer' : 'before its answer was complete'}.`,
    advice: [
      'Look into the log of your server at that time: it may have crashed or been restarted.',
      'It may have done the work nevertheless: have it recognise events by their id, so that a repeat is harmless.',
    ],
  };
}

function explainStatus(status: number, secretVersion: number): Explanation {
  if (status >= 300 && status <= 399) {
    return {
      what: `Your server answered ${status}: it sent us on to another address. Redirects are not followed.`,
      advice: [
        'Enter the final address as the URL of the webhook. Often only https://, www. or a slash at the end differs.',
      ],
    };
  }
  switch (status) {
    case 401:
    case 403:
      return {
        what: `Your server answered ${status}: it did not let the request in.`,
        advice: [
          `Check that your server verifies the signature with the secret of this webhook; this was signed with version ${secretVersion}.`,
          'Have the path of the webhook let in without a login or an API key: the signature proves that it comes from us.',
          'Check that the clock of your server is right: signatures older than 5 minutes are refused by most receivers.',
        ],
      };
    case 404:
    case 410:
      return {
        what: `Your server answered ${status}: there is nothing at this address.`,
        advice: [
          'Check the path of the URL of the webhook, letter by letter.',
          'Check that the application with that path is deployed.',
        ],
      };
    case 405:
      return {
        what: 'Your server answered 405: it does not take POST requests at this address.',
        advice: ['Check the path of the URL, and that your application takes POST there.'],
      };
    case 413:
      return {
        what: 'Your server answered 413: the event was too large for it.',
        advice: ['Raise the limit for request bodies on your server or its proxy to 1 MiB at least.'],
      };
    case 429:
      return {
        what: 'Your server answered 429: too many requests came at once.',
        advice: [
          'Raise the limit of your server for this address; a busy day brings many events in a minute.',
          'Your server can say in retry-after how long to wait; we keep to it.',
        ],
      };
    case 502:
    case 503:
    case 504:
      return {
        what: `Your server answered ${status}: the application behind it was not available.`,
        advice: ['Check that the application runs and is not overloaded. Its log of that time tells more.'],
      };
    default:
  }
  if (status >= 400 && status <= 499) {
    return {
      what: `Your server answered ${status}: it did not accept the request.`,
      advice: [
        'Read the answer of your server below: it often says what it did not like.',
        'Check that your application ignores fields and events that it does not know.',
      ],
    };
  }
  if (status >= 500) {
    return {
      what: `Your server answered ${status}: an error happened in your application.`,
      advice: [
        'Look for the error in the log of your server at that time; the delivery id below helps to find it.',
      ],
    };
  }
  return {
    what: `Your server answered ${status === 0 ? 'with no status' : status}, which is no success.`,
    advice: ['Have your server answer 200 or 204 when it has taken an event.'],
  };
}
