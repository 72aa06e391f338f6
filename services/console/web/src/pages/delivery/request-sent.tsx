import { SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Attempt, Delivery } from '../../api/deliveries.js';
import { CodeBlock } from '../../parts/code-block.js';
import { Panel } from '../../parts/panel.js';
import { curlScript } from './curl-script.js';
import { readText } from './read-text.js';
import { sentHeaders } from './sent-headers.js';

const NOT_SENT: ReadonlySet<Attempt['outcome']> = new Set(['endpoint_refused', 'tls_failed']);

/** The request as the last attempt sent it, and a way to send it oneself. */
export function RequestSent(props: {
  readonly delivery: Delivery;
  readonly attempt: Attempt | undefined;
  readonly body: string | null;
  readonly url: string | undefined;
  readonly secretVersion: number | undefined;
}) {
  const { delivery, attempt, body, url, secretVersion } = props;
  const [view, setView] = useState('pretty');
  const read = body === null ? undefined : readText(body);
  const shown = read?.kind === 'json' && view === 'pretty' ? read.pretty : (body ?? '');
  return (
    <>
      <Panel
        title="Request"
        actions={
          read?.kind === 'json' && (
            <SegmentedControl
              aria-label="View of the body"
              size="xs"
              value={view}
              onChange={setView}
              data={[
                { value: 'pretty', label: 'Pretty' },
                { value: 'raw', label: 'As sent' },
              ]}
            />
          )
        }
      >
        <Stack gap="md">
          {attempt === undefined ? (
            <Text c="dimmed">Nothing was sent yet.</Text>
          ) : (
            <Stack gap={6}>
              <CodeBlock
                label={`Headers of attempt ${attempt.number}`}
                code={sentHeaders({ delivery, attempt, body, url })
                  .map(([name, value]) => `${name}: ${value}`)
                  .join('\n')}
                wraps
              />
              <Text size="xs" c="dimmed">
                {NOT_SENT.has(attempt.outcome) && 'The attempt ended before this was sent. '}
                Signatures are not kept. The other headers are made again from what is known of the attempt.
              </Text>
            </Stack>
          )}
          {body === null ? (
            <Text c="dimmed">The body is no longer kept.</Text>
          ) : (
            <CodeBlock
              label={view === 'pretty' && read?.kind === 'json' ? 'Body, pretty' : 'Body as sent'}
              code={shown}
              wraps
              maxHeight="24rem"
            />
          )}
        </Stack>
      </Panel>
      {body !== null && url !== undefined && (
        <SendItYourself
          delivery={delivery}
          body={body}
          url={url}
          secretVersion={secretVersion ?? attempt?.secretVersion ?? 1}
        />
      )}
    </>
  );
}

function SendItYourself(props: {
  readonly delivery: Delivery;
  readonly body: string;
  readonly url: string;
  readonly secretVersion: number;
}) {
  const { delivery, body, url, secretVersion } = props;
  return (
    <Panel title="Send it yourself">
      <Stack gap="sm">
        <Text size="sm">
          Somebody who runs your server can repeat the request from a terminal and see what comes back. It is
          signed anew with the secret of the webhook, which has to stand in WEBHOOK_SECRET.
        </Text>
        <CodeBlock
          label="Shell script"
          code={curlScript({
            delivery,
            body,
            url,
            secretVersion,
          })}
          maxHeight="26rem"
        />
      </Stack>
    </Panel>
  );
}
