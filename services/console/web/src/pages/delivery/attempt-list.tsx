import { Accordion, Code, Stack, Text } from '@mantine/core';
import { RESPONSE_HEADER_LIMITS } from '@partner/proto-contracts/resources/attempt/attempt';
import type { Attempt } from '../../api/hooks.js';
import { formatDuration } from '../../format.js';
import { StateDot, ExactTime, Facts, OUTCOME_LOOKS, PastTime } from '../../parts/data.js';
import { CodeBlock } from '../../parts/code.js';
import classes from './delivery.module.css';
import { explainAttempt } from './explain-attempt.js';
import { readText } from './sent-text.js';
import { Hint, Small } from '../../parts/page.js';

const KEPT_BYTES = 4_096;

/** All attempts with their steps and responses, newest first; the newest is open. */
export function AttemptList({ attempts }: { readonly attempts: readonly Attempt[] }) {
  const newest = attempts.at(-1);
  if (newest === undefined) return <Text c="dimmed">No attempts yet</Text>;
  return (
    <Accordion variant="separated" order={3} defaultValue={newest.deliveryId} multiple={false}>
      {attempts.toReversed().map((attempt) => (
        <Accordion.Item key={attempt.deliveryId} value={attempt.deliveryId}>
          <Accordion.Control>
            <span className={classes['attempt']}>
              <strong>{`Attempt ${attempt.number}`}</strong>
              <StateDot {...OUTCOME_LOOKS[attempt.outcome]} />
              {attempt.responseStatus !== null && <span>{`Status ${attempt.responseStatus}`}</span>}
              <span>{formatDuration(attempt.durationMs)}</span>
              <Text component="span" size="sm" c="dimmed">
                <PastTime at={attempt.startedAt} />
              </Text>
            </span>
          </Accordion.Control>
          <Accordion.Panel>
            <AttemptDetails attempt={attempt} />
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

function AttemptDetails({ attempt }: { readonly attempt: Attempt }) {
  const { exchange } = attempt;
  const certificate = exchange?.certificate ?? null;
  return (
    <Stack gap="md">
      <Text size="sm">{explainAttempt(attempt).what}</Text>
      {exchange !== null && <Steps exchange={exchange} />}
      <Facts
        facts={{
          Began: <ExactTime at={attempt.startedAt} />,
          Took: formatDuration(attempt.durationMs),
          'Delivery ID': <Code>{attempt.deliveryId}</Code>,
          Address: attempt.remoteAddress ?? 'None',
          'Resolved addresses': exchange?.addresses.length ? exchange.addresses.join(', ') : undefined,
          Certificate:
            certificate === null
              ? 'None'
              : `Of ${certificate.subject ?? 'unnamed'}, issued by ${certificate.issuer ?? 'unnamed'}`,
          'Certificate expires': certificate?.validTo && <ExactTime at={certificate.validTo} />,
          'TLS version': exchange?.tlsProtocol,
          'Signed with': `Secret version ${attempt.secretVersion}`,
          Status: attempt.responseStatus === null ? 'None' : `Status ${attempt.responseStatus}`,
          'Technical reason': attempt.error,
        }}
      />
      <ResponseHeaders {...attempt} />
      <ResponseBody {...attempt} />
    </Stack>
  );
}

function Steps({ exchange }: { readonly exchange: NonNullable<Attempt['exchange']> }) {
  const isKept = exchange.reusedConnection;
  const steps = [
    ['DNS', exchange.dnsMs, 'Skipped'],
    ['Connecting', exchange.connectMs, isKept ? 'Reused connection' : 'Not reached'],
    ['TLS handshake', exchange.tlsMs, isKept ? 'Reused connection' : 'Not reached'],
    ['Time to first byte', exchange.firstByteMs, 'Not reached'],
  ] as const;
  return (
    <ol className={`plain ${classes['steps']}`} aria-label="Timing">
      {steps.map(([name, ms, otherwise]) => (
        <li key={name} className={classes['step']}>
          <span>{name}</span>
          {ms === null ? otherwise : formatDuration(ms)}
        </li>
      ))}
    </ol>
  );
}

function ResponseHeaders({ responseHeaders: headers, number }: Attempt) {
  if (headers === null || headers.length === 0) return null;
  return (
    <Stack gap={6}>
      <CodeBlock
        label={`Response headers of attempt ${number}`}
        code={headers.map(({ name, value }) => `${name}: ${value}`).join('\n')}
        wraps
        maxHeight="12rem"
      />
      <Hint>
        {`Cookies and credentials are not stored, nor more than ${RESPONSE_HEADER_LIMITS.bytes / 1_024} KiB.`}
      </Hint>
    </Stack>
  );
}

function ResponseBody({ responseBody: body, number }: Attempt) {
  if (body === null) return null;
  const read = readText(body);
  const label = `Response to attempt ${number}`;
  switch (read.kind) {
    case 'empty':
      return <Small c="dimmed">The response has no body.</Small>;
    case 'binary':
      return (
        <Stack gap={6}>
          <Text size="sm">The response is binary. Unprintable bytes are shown as dots.</Text>
          <CodeBlock label={`${label}, binary`} code={read.text} wraps maxHeight="12rem" />
        </Stack>
      );
    case 'json':
      return <CodeBlock label={label} code={read.pretty} wraps maxHeight="18rem" />;
    case 'text':
      return (
        <Stack gap={6}>
          <CodeBlock label={label} code={read.text} wraps maxHeight="18rem" />
          {new TextEncoder().encode(read.text).byteLength >= KEPT_BYTES && (
            <Hint>Only the first 4 KiB of a response are stored.</Hint>
          )}
        </Stack>
      );
  }
}
