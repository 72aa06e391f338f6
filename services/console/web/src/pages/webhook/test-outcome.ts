import { LIMITS } from '@partner/proto-contracts/api/limits';
import type { Attempt, Delivery } from '../../api/operations.js';
import { formatDuration } from '../../format.js';

/** Outcome of a test delivery in plain words. */
export type TestOutcome =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'delivered'; readonly title: string }
  | {
      readonly kind: 'failed';
      /** True if the server responded. */
      readonly hasResponse: boolean;
      readonly title: string;
      /** Advice. */
      readonly advice: string;
      /** Technical details for the server's operator. */
      readonly seen: string | null;
      /** The server's response. */
      readonly responseBody: string | null;
    };

type TriedAttempt = Pick<Attempt, 'outcome' | 'responseStatus' | 'responseBody' | 'error' | 'durationMs'>;

/** Derives the outcome from a delivery. A failed attempt is reported at once, even if more follow. */
export function outcomeOfTest(test: {
  readonly delivery: Pick<Delivery, 'state'>;
  readonly attempts: readonly TriedAttempt[];
}): TestOutcome {
  const last = test.attempts.at(-1);
  if (last === undefined) return { kind: 'waiting' };
  if (last.outcome === 'delivered' || test.delivery.state === 'delivered') {
    const status = last.responseStatus === null ? '' : ` with ${last.responseStatus}`;
    return {
      kind: 'delivered',
      title: `Your server responded${status} after ${formatDuration(last.durationMs)}.`,
    };
  }
  const { title, advice } = explain(last.outcome, last.responseStatus);
  const hasResponse = last.outcome === 'rejected';
  // For a response the title says everything.
  const seen = hasResponse ? null : last.error;
  return { kind: 'failed', hasResponse, title, advice, seen, responseBody: last.responseBody };
}

const SECONDS = LIMITS.webhookTimeoutMs / 1_000;

type Failure = Exclude<Attempt['outcome'], 'delivered'>;
interface Explanation {
  readonly title: string;
  readonly advice: string;
}

const WITHOUT_RESPONSE: Readonly<Record<Exclude<Failure, 'rejected'>, Explanation>> = {
  timed_out: {
    title: `Your server did not respond within ${SECONDS} seconds.`,
    advice:
      'Respond with 200 as soon as the delivery is stored, and process it afterwards. If the request does not arrive, a firewall' +
      ' may block it.',
  },
  tls_failed: {
    title: 'The secure connection (TLS) failed.',
    advice:
      'The certificate has to be valid for this host name, not expired, from a public authority, and sent with its intermediate' +
      ' certificates. Renew or complete it.',
  },
  connection_failed: {
    title: 'Could not connect to your server.',
    advice:
      'Check that the server runs, that the host name is correct, and that a firewall allows connections from the internet on' +
      ' port 443.',
  },
  endpoint_refused: {
    title: 'The host name resolves to an address that is not public.',
    advice:
      'Deliveries only go to public addresses. Correct the DNS entry of the host, or change the webhook’s URL.',
  },
};

function explain(outcome: Failure, status: number | null): Explanation {
  if (outcome !== 'rejected') return WITHOUT_RESPONSE[outcome];
  return {
    title: `Your server responded with ${status ?? 'no status'}.`,
    advice: adviceOnStatus(status ?? 0),
  };
}

function adviceOnStatus(status: number): string {
  if (status >= 300 && status < 400) {
    return 'Redirects are not followed. Set the webhook’s URL to the final address.';
  }
  if (status === 401 || status === 403) {
    return (
      'It refuses the request. Deliveries have no login: allow requests to this path, and verify their signature instead. If it' +
      ' does verify, check that it has this secret and version.'
    );
  }
  if (status === 404 || status === 410) {
    return 'Nothing is at this path. Check the path of the URL.';
  }
  if (status === 405)
    return 'It does not accept POST requests at this path. Deliveries are POST requests with JSON.';
  if (status === 429) return 'Its rate limit is exceeded. Wait, then test again, or raise the limit.';
  if (status >= 500) return 'It failed while processing the request. See its log.';
  return (
    'It did not accept the request. If it verifies signatures, check that it has this secret and version and uses the exact' +
    ' bytes of the body.'
  );
}
