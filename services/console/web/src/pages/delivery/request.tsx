import type { Attempt, Delivery } from '../../api/hooks.js';
import { CodeBlock } from '../../parts/code.js';
import { curlScript } from '../../shell-command.js';
import { Body, Headers } from './response.js';
import { sentHeaders } from './sent-text.js';

/** What an attempt sends. */
interface Sent {
  readonly delivery: Delivery;
  readonly attempt: Attempt | undefined;
  readonly body: string | null;
  /** Undefined for a test of another URL, and if the webhook is deleted. */
  readonly url: string | undefined;
}

const NOT_SENT: ReadonlySet<Attempt['outcome']> = new Set(['endpoint_refused', 'tls_failed']);

/** The request of an attempt. */
export function Request({ delivery, attempt, body, url }: Sent) {
  return (
    <div className="stack">
      {body === null ? (
        <p className="dim small">The body is no longer stored.</p>
      ) : (
        <Body name="Request body" body={body} />
      )}
      {attempt !== undefined && (
        <div className="stack">
          <Headers name="Request headers" headers={sentHeaders({ delivery, attempt, body, url })} />
          <small>
            {NOT_SENT.has(attempt.outcome) && 'The attempt failed before the request was sent. '}
            Signatures are not stored, and custom headers of the webhook are not shown. The other headers are
            reconstructed from the attempt.
          </small>
        </div>
      )}
    </div>
  );
}

/** A script that sends the request of an attempt again. */
export function Script({
  delivery,
  attempt,
  body,
  url,
  secretVersion,
}: Sent & { readonly secretVersion: number }) {
  if (body === null || url === undefined)
    return <p className="dim small">The request can no longer be repeated.</p>;
  const deliveryId = attempt?.deliveryId ?? delivery.id;
  return (
    <div className="stack">
      <p className="small">
        Repeats the request from a terminal. It signs with the webhook’s secret, which it reads from
        WEBHOOK_SECRET.
      </p>
      <CodeBlock label="Shell script" code={curlScript({ delivery, deliveryId, body, url, secretVersion })} />
    </div>
  );
}
