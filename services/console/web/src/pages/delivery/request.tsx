import type { Attempt, Delivery } from '../../api/hooks.js';
import { CodeBlock } from '../../parts/code.js';
import { Hint, Small } from '../../parts/page.js';
import { curlScript } from '../../shell-command.js';
import { Stack } from '../../parts/ui.js';
import { Body } from './response.js';
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
    <Stack gap="md">
      {body === null ? (
        <Small c="dimmed">The body is past its retention.</Small>
      ) : (
        <Body name="Request body" body={body} />
      )}
      {attempt !== undefined && (
        <Stack gap={6}>
          <CodeBlock
            label="Request headers"
            code={sentHeaders({ delivery, attempt, body, url })
              .map(([name, value]) => `${name}: ${value}`)
              .join('\n')}
            wraps
          />
          <Hint>
            {NOT_SENT.has(attempt.outcome) && 'The attempt failed before the request was sent. '}
            Signatures are not stored, and custom headers of the webhook are not shown. The other headers are
            reconstructed from the attempt.
          </Hint>
        </Stack>
      )}
    </Stack>
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
    return <Small c="dimmed">The request can no longer be repeated.</Small>;
  const deliveryId = attempt?.deliveryId ?? delivery.id;
  return (
    <Stack gap="sm">
      <Small>
        Repeats the request from a terminal. It signs with the webhook’s secret, which it reads from
        WEBHOOK_SECRET.
      </Small>
      <CodeBlock
        label="Shell script"
        code={curlScript({ delivery, deliveryId, body, url, secretVersion })}
        maxHeight="26rem"
      />
    </Stack>
  );
}
