import { LIMITS } from '@partner/proto-contracts/public-api/limits';
import type { Attempt, Delivery } from '../../api/deliveries.js';
import { formatDuration } from '../../format.js';

/** What a test delivery has come to, in words for somebody who does not run servers every day. */
export type TestOutcome =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'delivered'; readonly title: string }
  | {
      readonly kind: 'failed';
      readonly title: string;
      /** What to do about it. */
      readonly advice: string;
      /** What was seen, for whoever runs the server. */
      readonly seen: string | null;
      /** What the server answered. */
      readonly answer: string | null;
    };

type TriedAttempt = Pick<Attempt, 'outcome' | 'responseStatus' | 'responseBody' | 'error' | 'durationMs'>;

/** Reads the outcome off a delivery: a failed attempt is told at once, though others may follow. */
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
      title: `Your server answered${status} after ${formatDuration(last.durationMs)}.`,
    };
  }
  const { title, advice } = explain(last.outcome, last.responseStatus);
  // Of an answer it says nothing beyond the title.
  const seen = last.outcome === 'rejected' ? null : last.error;
  return { kind: 'failed', title, advice, seen, answer: last.responseBody };
}

const SECONDS = LIMITS.webhookTimeoutMs / 1_000;

type Failure = Exclude<Attempt['outcome'], 'delivered'>;
interface Explanation {
  readonly title: string;
  readonly advice: string;
}

const WITHOUT_ANSWER: Readonly<Record<Exclude<Failure, 'rejected'>, Explanation>> = {
  timed_out: {
    title: `Your server did not answer within ${SECONDS} seconds.`,
    advice:
      'Have it answer with 200 as soon as it has stored the delivery, and do the work afterwards. If it does not even see the' +
      ' request, a firewall may hold it back.',
  },
  tls_failed: {
    title: 'The secure connection (TLS) failed.',
    advice:
      'The certificate has to be valid for this host name, not expired, from a public authority, and sent with its intermediate' +
      ' certificates. Ask whoever runs the server to renew or complete it.',
  },
  connection_failed: {
    title: 'No connection to your server came about.',
    advice:
      'See that the server runs, that the host name is right, and that a firewall lets connections from the internet through on' +
      ' port 443.',
  },
  endpoint_refused: {
    title: 'The host name leads to an address that is not public.',
    advice:
      'Deliveries only go to public addresses. Correct the DNS entry of the host, or give another address to this webhook.',
  },
};

function explain(outcome: Failure, status: number | null): Explanation {
  if (outcome !== 'rejected') return WITHOUT_ANSWER[outcome];
  return {
    title: `Your server answered ${status ?? 'without a status'}.`,
    advice: adviceOnStatus(status ?? 0),
  };
}

function adviceOnStatus(status: number): string {
  if (status >= 300 && status < 400) {
    return 'That leads elsewhere, and deliveries do not follow. Give the final address to this webhook.';
  }
  if (status === 401 || status === 403) {
    return (
      'It refuses the request. Deliveries carry no login: let requests to this path through, and check their signature with the' +
      ' secret instead. If it does check, see that it has this secret and version.'
    );
  }
  if (status === 404 || status === 410) {
    return 'It has nothing at this path. Compare the path of the address with the one that your server listens on.';
  }
  if (status === 405)
    return 'It does not take POST requests at this path. Deliveries are POST requests with JSON.';
  if (status === 429)
    return 'It takes no more requests for now. Wait a little, then test again, or raise its limit.';
  if (status >= 500) return 'It failed while it handled the request. Its own log tells why.';
  return (
    'It did not accept the request. If it checks signatures, see that it has this secret and version and uses the body byte for' +
    ' byte as it came.'
  );
}
