import { RESPONSE_HEADER_LIMITS } from '@partner/proto-contracts/resources/attempt/attempt';
import type { Attempt } from '../../api/hooks.js';
import { formatDuration } from '../../format.js';
import { CodeBlock } from '../../parts/code.js';
import { ExactTime, Facts } from '../../parts/data.js';
import classes from './delivery.module.css';
import { explainAttempt } from './explain-attempt.js';
import { Json } from './json.js';
import { readText } from './sent-text.js';
import { OWN_STEP, stepsOf } from './timings.js';

const KEPT_BYTES = 4_096;

/** Where the time of an attempt went, and what the server responded. */
export function Response(props: {
  readonly attempt: Attempt | undefined;
  /** Whether the page already explains the attempt. */
  readonly isNewest: boolean;
  readonly isNarrow: boolean;
}) {
  const { attempt, isNewest, isNarrow } = props;
  if (attempt === undefined) return <p className="dim small">Nothing sent yet</p>;
  const { exchange, responseBody, responseHeaders: headers, startedAt } = attempt;
  const certificate = exchange?.certificate ?? null;
  return (
    <div className="stack">
      {!isNewest && <p className="small">{explainAttempt(attempt).what}</p>}
      {exchange !== null && <Waterfall exchange={exchange} durationMs={attempt.durationMs} />}
      <div className={classes['bodies']}>
        {responseBody !== null && <Body name="Response body" body={responseBody} />}
        {headers !== null && headers.length > 0 && (
          <div className="stack">
            <Headers name="Response headers" headers={headers.map(({ name, value }) => [name, value])} />
            <small>
              {`Cookies and credentials are not stored. Other headers are stored up to ${RESPONSE_HEADER_LIMITS.bytes / 1_024} KiB.`}
            </small>
          </div>
        )}
      </div>
      <div className={isNarrow ? undefined : classes['pairs']}>
        <Facts
          facts={{
            Began: <ExactTime at={startedAt} />,
            Address: attempt.remoteAddress,
            'Technical reason': attempt.error,
            'Resolved addresses': exchange?.addresses.length ? exchange.addresses.join(', ') : undefined,
            Certificate:
              certificate && `For ${certificate.subject ?? 'unnamed'}, by ${certificate.issuer ?? 'unnamed'}`,
            'Certificate expires': certificate?.validTo && <ExactTime at={certificate.validTo} />,
          }}
        />
      </div>
    </div>
  );
}

function Waterfall(props: {
  readonly exchange: NonNullable<Attempt['exchange']>;
  readonly durationMs: number;
}) {
  const { exchange, durationMs } = props;
  const steps = stepsOf(exchange, durationMs);
  const totalMs = Math.max(1, ...steps.map(({ fromMs, ms }) => fromMs + ms));
  const connection = exchange.reusedConnection ? 'On an open connection' : exchange.tlsProtocol;
  return (
    <div>
      <div className="row between">
        <b className="small">{`Where the ${formatDuration(durationMs)} went`}</b>
        {connection !== null && <small>{connection}</small>}
      </div>
      <ol className={`plain ${classes['waterfall']}`} aria-label="Timing">
        {steps.map(({ name, fromMs, ms }) => (
          <li key={name}>
            <span>{name}</span>
            <span className={classes['track']}>
              <i
                data-own={name === OWN_STEP}
                style={{ left: `${(fromMs / totalMs) * 100}%`, width: `${(ms / totalMs) * 100}%` }}
              />
            </span>
            <span>{formatDuration(ms)}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Headers, a line for each. */
export const Headers = (props: {
  readonly name: string;
  readonly headers: readonly (readonly string[])[];
}) => <CodeBlock label={props.name} code={props.headers.map((header) => header.join(': ')).join('\n')} />;

/** A body, of whatever kind. It is copied as it was sent. */
export function Body({ name, body }: { readonly name: string; readonly body: string }) {
  const read = readText(body);
  if (read.kind === 'empty') return <p className="dim small">{`${name}: empty`}</p>;
  return (
    <div className="stack">
      <CodeBlock label={name} code={read.text}>
        {read.kind === 'json' && <Json value={JSON.parse(read.text)} />}
      </CodeBlock>
      {read.kind === 'binary' && <small>This body is binary. Unprintable bytes are shown as dots.</small>}
      {new TextEncoder().encode(body).byteLength >= KEPT_BYTES && name === 'Response body' && (
        <small>Only the first 4 KiB of a response are stored.</small>
      )}
    </div>
  );
}
