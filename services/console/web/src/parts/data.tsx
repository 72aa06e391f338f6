import { Fragment, memo, type MouseEvent, type ReactNode, useSyncExternalStore } from 'react';
import { Link } from './link.js';
import classes from './data.module.css';
import type { ApiKey, Attempt, Delivery, ListedDelivery, Webhook } from '../api/hooks.js';
import { isWaitingForSlot, nextAttemptOf } from '../webhook-facts.js';
import type { Tone } from '../tone.js';
import { PATHS } from '../paths.js';
import { formatAge, formatDuration, formatExact, formatPast, formatRelative } from '../format.js';

/** The cells of a table by the header above them, which on a phone is before each value. The first column names the row. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => ReactNode>>;

/**
 * A table with fixed columns, which on a phone becomes a list. A click anywhere in a row follows the link that names it. Roles keep it a
 * table for screen readers.
 */
export function DataTable<Row>(props: {
  /** Name of the table for screen readers. */
  readonly caption: string;
  readonly columns: Columns<Row>;
  /** The columns with numbers, which are right-aligned. */
  readonly numbers?: readonly string[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** Widths of columns, e.g. `8rem`. The others share the rest. */
  readonly widths?: Readonly<Record<string, string>>;
}) {
  const { caption, numbers = [], rows, rowKey, widths = {} } = props;
  const columns = Object.entries(props.columns);
  const alignment = (header: string) =>
    [...numbers, 'Action'].includes(header) && { className: classes['end'] };
  return (
    <table className={classes['table']} role="table">
      <caption className="visually-hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(([header]) => (
            <th
              key={header}
              scope="col"
              role="columnheader"
              style={{ width: widths[header] }}
              {...alignment(header)}
            >
              {header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={rowKey(row)} role="row" onClick={followLink}>
            {columns.map(([header, cell], place) =>
              place === 0 ? (
                <th key={header} scope="row" role="rowheader">
                  {cell(row)}
                </th>
              ) : (
                <td key={header} role="cell" data-label={header} {...alignment(header)}>
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Follows the link that names a row, unless the click has another target or selects text. */
function followLink(event: MouseEvent<HTMLTableRowElement>) {
  const { target, currentTarget, nativeEvent } = event;
  if (!(target instanceof Element) || target.closest('a, button, details') !== null) return;
  if (window.getSelection()?.isCollapsed === false) return;
  currentTarget.querySelector('th a')?.dispatchEvent(new window.MouseEvent('click', nativeEvent));
}

/** A state in words, with the tone of its dot. */
export interface Look {
  readonly tone: Tone;
  readonly label: string;
}

/** A dot in the colour of its tone, and the state in words. Good is quiet. */
export function StateDot({ tone, label }: Look) {
  return (
    <span className={classes['state']} data-tone={tone}>
      {label}
    </span>
  );
}

type Looks<State extends string> = Readonly<Record<State, Look>>;

/** The current condition of a webhook. */
const CONDITION_LOOKS: Looks<NonNullable<Webhook['condition']>['state']> = {
  not_tested: { tone: 'quiet', label: 'Not tested yet' },
  active: { tone: 'good', label: 'Active' },
  failing: { tone: 'bad', label: 'Failing' },
  recovering: { tone: 'warn', label: 'Recovering' },
  paused: { tone: 'quiet', label: 'Paused' },
};

/** How a webhook does now, in a word. */
export const WebhookState = ({ webhook: { condition, state } }: { readonly webhook: Webhook }) => (
  <StateDot {...CONDITION_LOOKS[condition?.state ?? state]} />
);

const SENDING: Look = { tone: 'info', label: 'Sending' };

/** States of deliveries. */
export const DELIVERY_LOOKS: Looks<Delivery['state']> = {
  pending: SENDING,
  retry_scheduled: { tone: 'warn', label: 'Waiting' },
  delivered: { tone: 'good', label: 'Accepted' },
  dead_lettered: { tone: 'bad', label: 'Given up' },
  held: { tone: 'quiet', label: 'Held' },
  cancelled: { tone: 'quiet', label: 'Canceled' },
};

/** Outcomes of attempts. */
export const OUTCOME_LOOKS: Looks<Attempt['outcome']> = {
  delivered: { tone: 'good', label: 'Accepted' },
  rejected: { tone: 'bad', label: 'Rejected' },
  timed_out: { tone: 'bad', label: 'Timed out' },
  tls_failed: { tone: 'bad', label: 'TLS failed' },
  connection_failed: { tone: 'bad', label: 'Connection failed' },
  endpoint_refused: { tone: 'bad', label: 'Address refused' },
};

/** States of API keys. */
export const KEY_LOOKS: Looks<ApiKey['state']> = {
  active: { tone: 'good', label: 'Active' },
  expiring: { tone: 'warn', label: 'Expiring' },
  expired: { tone: 'quiet', label: 'Expired' },
  revoked: { tone: 'quiet', label: 'Revoked' },
};

/** What names a row: a link, with a hint below it. */
export function RowLink(props: {
  readonly to: string;
  readonly name: string;
  readonly children?: ReactNode;
}) {
  return (
    <div>
      <Link to={props.to} className={classes['name'] ?? ''}>
        {props.name}
      </Link>
      {props.children}
    </div>
  );
}

const TICK_MS = 15_000;

const listeners = new Set<() => void>();
let now = new Date();
let timer: ReturnType<typeof setInterval> | undefined;

/** Returns the current time, updated regularly. One timer serves the whole page. */
export function useNow(): Date {
  return useSyncExternalStore(subscribe, () => now);
}

/** A time as the text says it, with the exact time in `datetime`, and as a tooltip once the pointer is there. */
const timeSaid = (at: string, text: string) => (
  <time
    dateTime={at}
    onMouseEnter={({ currentTarget }) => {
      currentTarget.title = formatExact(new Date(at));
    }}
  >
    {text}
  </time>
);

/** A part that shows a time relative to now. */
const relativeTime = (format: (time: Date, now: Date) => string) =>
  function Time({ at }: { readonly at: string }) {
    return timeSaid(at, format(new Date(at), useNow()));
  };

/** A past time relative to now. */
export const PastTime = relativeTime(formatPast);

/** A due time relative to now. */
export const DueTime = relativeTime(formatRelative);

/** A time to the second, with its time zone. */
export function ExactTime({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={at}>
      {formatExact(new Date(at))}
    </time>
  );
}

function subscribe(listen: () => void): () => void {
  listeners.add(listen);
  if (timer === undefined) {
    now = new Date();
    timer = setInterval(() => {
      now = new Date();
      listeners.forEach((each) => each());
    }, TICK_MS);
  }
  return () => {
    listeners.delete(listen);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Shows when the next attempt of a delivery or a webhook is due, or that it waits for a slot or for the rate of its webhook. */
export function NextAttempt(props: {
  readonly of: Parameters<typeof nextAttemptOf>[0];
  /** The rate of the webhook, null without one; absent: not known. */
  readonly perSecond?: number | null;
}) {
  const now = useNow();
  const next = nextAttemptOf(props.of);
  if (next === null) return '–';
  return isWaitingForSlot(next, now) ? (
    <time dateTime={next}>{dueText(props.perSecond)}</time>
  ) : (
    <DueTime at={next} />
  );
}

function dueText(perSecond: number | null | undefined): string {
  if (perSecond === undefined) return 'Due, queued';
  return perSecond === null ? 'Due, behind earlier deliveries' : `Due, limited to ${perSecond} per second`;
}

/** Values by their names; those that are null or undefined are omitted. */
export function Facts({ facts }: { readonly facts: Readonly<Record<string, ReactNode>> }) {
  return (
    <dl className={classes['facts']}>
      {Object.entries(facts)
        .filter(([, value]) => value !== undefined && value !== null)
        .map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
    </dl>
  );
}

/** What to do about a problem, one sentence each. */
export function Advice({ advice }: { readonly advice: readonly string[] }) {
  return (
    <ul className={classes['advice']} aria-label="What to do">
      {advice.map((each) => (
        <li key={each}>{each}</li>
      ))}
    </ul>
  );
}

/** The state of a delivery in one line: for one that waits, until when. */
export const DeliveryState = (props: { readonly of: StatedDelivery }) => (
  <StateDot {...lookAt(useNow(), props.of)} />
);

type StatedDelivery = Pick<Delivery, 'state' | 'nextAttemptAt' | 'waitsFor'>;

function lookAt(now: Date, delivery: StatedDelivery): Look {
  const { state } = delivery;
  const next = nextAttemptOf(delivery);
  const look = DELIVERY_LOOKS[state];
  if (delivery.waitsFor !== null && state !== 'held') return { tone: look.tone, label: 'Waits in order' };
  if (next === null) return state === 'retry_scheduled' ? SENDING : look;
  const left = Date.parse(next) - now.getTime();
  const label = left <= 0 || state === 'pending' ? 'Queued' : `Retry in ${formatAge(left)}`;
  return { tone: look.tone, label };
}

/**
 * A list of deliveries with their last attempt, each in one line: with their webhook if the names are given, else with their numbers
 * at the webhook. Further rows of an event repeat it in gray. It is drawn anew only for other properties: a live list reloads every 2
 * seconds, mostly without a change.
 */
export const DeliveryTable = memo(function DeliveryTable(props: {
  readonly rows: readonly ListedDelivery[];
  /** The names of the webhooks by their ids. */
  readonly names?: Readonly<Record<string, string>>;
  /** The delivery that is open beside the list, which has less space then. */
  readonly openId?: string | undefined;
  /** Where a row leads; absent: to its page. */
  readonly linkTo?: (id: string) => string;
}) {
  const { rows, names, openId, linkTo = PATHS.delivery } = props;
  const now = useNow();
  const again = new Set(rows.filter(({ eventId }, row) => rows[row - 1]?.eventId === eventId));
  const named = (row: ListedDelivery, text: string) => (
    <span className={classes[again.has(row) ? 'again' : 'first']} title={text}>
      {text}
    </span>
  );
  const columns: Columns<ListedDelivery> = {
    State: (row) => (
      <Link
        id={row.id}
        to={linkTo(row.id)}
        aria-current={row.id === openId ? 'true' : undefined}
        replace={openId !== undefined && row.id !== openId}
        preventScrollReset
      >
        <span className="visually-hidden">{`${row.event}: `}</span>
        <StateDot {...lookAt(now, row)} />
      </Link>
    ),
    Event: (row) =>
      named(row, `${row.event}${row.isTest ? ' · test' : ''}${row.replayOf === null ? '' : ' · replay'}`),
    'Work order': (row) => named(row, row.workOrderNo ?? '–'),
    ...(names === undefined
      ? { Number: ({ number }) => number ?? '–' }
      : { Webhook: ({ subscriptionId }) => names[subscriptionId] ?? 'Deleted webhook' }),
    Response: ({ lastAttempt: last }) => last && (last.responseStatus ?? OUTCOME_LOOKS[last.outcome].label),
    ...(openId === undefined && {
      Took: ({ lastAttempt }) => lastAttempt && formatDuration(lastAttempt.durationMs),
      Attempts: ({ attempts }) => attempts,
    }),
    Age: ({ createdAt }) => timeSaid(createdAt, formatAge(now.getTime() - Date.parse(createdAt))),
  };
  return (
    <div className={classes['lines']}>
      <DataTable
        caption="Deliveries, newest first"
        columns={columns}
        numbers={['Took', 'Attempts', 'Age']}
        widths={WIDTHS}
        rows={rows}
        rowKey={({ id }) => id}
      />
    </div>
  );
});

const WIDTHS = {
  ...{ State: '8rem', 'Work order': '7.5rem', Number: '5rem', Response: '6rem' },
  ...{ Took: '4.5rem', Attempts: '5rem', Age: '4rem' },
};
