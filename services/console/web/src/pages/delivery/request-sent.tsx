import { SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Attempt, Delivery } from '../../api/hooks.js';
import { CodeBlock } from '../../parts/code.js';
import { Hint, Panel } from '../../parts/page.js';
import { curlScript } from '../../shell-command.js';
import { readText } from './read-text.js';
import { sentHeaders } from './sent-headers.js';

const NOT_SENT: ReadonlySet<Attempt['outcome']> = new Set(['endpoint_refused', 'tls_failed']);

/** The request of the last attempt, and a script that sends it again. */
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
              aria-label="Body format"
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
            <Text c="dimmed">Nothing sent yet</Text>
          ) : (
            <Stack gap={6}>
              <CodeBlock
                label={`Headers of attempt ${attempt.number}`}
                code={sentHeaders({ delivery, attempt, body, url })
                  .map(([name, value]) => `${name}: ${value}`)
                  .join('\n')}
                wraps
              />
              <Hint>
                {NOT_SENT.has(attempt.outcome) && 'The attempt failed before the request was sent. '}
                Signatures are not stored, and custom headers of the webhook are not shown. The other headers
                are reconstructed from the attempt.
              </Hint>
            </Stack>
          )}
          {body === null ? (
            <Text c="dimmed">The body is past its retention.</Text>
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
    <Panel title="Reproduce the request">
      <Stack gap="sm">
        <Text size="sm">
          Repeat the request from a terminal. The script signs it with the webhook’s secret from
          WEBHOOK_SECRET.
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
