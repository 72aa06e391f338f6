import { IconCalendar, IconChevronDown } from '@tabler/icons-react';
import { Fragment, type ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { Link } from './link.js';
import type { AttemptCounts, Output } from '../api/hooks.js';
import { formatAbout, formatCount, formatShare } from '../format.js';
import { PATHS } from '../paths.js';
import classes from './traffic.module.css';
import {
  type ChartPoint,
  chartPoints,
  fewerPoints,
  SPAN_TEXTS,
  spanNamed,
  SPANS,
  spanUntil,
} from '../statistics-span.js';
import { useNow } from './data.js';
import { Menu, MenuRadios } from './overlays.js';
import { TrafficChart } from './traffic-chart.js';
import { Button } from './ui.js';
import { LIMITS } from '@partner/proto-contracts/api/limits';

/** The selected time span of statistics, which is kept in the page's query, and its start for a request. */
export function useSpan() {
  const now = useNow();
  const [query] = useSearchParams();
  const span = spanNamed(query.get('span'));
  return { now, span, since: spanUntil(span, now) };
}

type Statistics = Pick<Output<'getStatistics'>, 'totals' | 'buckets' | 'bucketMinutes'> & {
  readonly webhookId?: string;
};

/** Figures and charts of deliveries in the selected time span. */
export function Traffic(props: {
  readonly data: Statistics;
  readonly note?: string | undefined;
  /** Deliveries that wait now, and when the next one is sent; absent: those of the span. */
  readonly waiting?: readonly [count: ReactNode, note: ReactNode] | undefined;
}) {
  const { data, note = '', waiting } = props;
  const { now, span } = useSpan();
  const { totals, webhookId } = data;
  return (
    <div className="sections">
      <Figures totals={totals} waiting={waiting} webhook={webhookId} />
      {totals.attempts + totals.deliveries.total === 0 ? (
        <p className="dim">{`No deliveries in ${SPAN_TEXTS[span]}.${note}`}</p>
      ) : (
        <TrafficChart points={chartPoints(data, span, now)} spanText={SPAN_TEXTS[span]} webhook={webhookId} />
      )}
    </div>
  );
}

function Figures(props: {
  readonly totals: AttemptCounts;
  readonly waiting: Parameters<typeof Traffic>[0]['waiting'];
  readonly webhook: string | undefined;
}) {
  const { span, since } = useSpan();
  const { p50Ms, p95Ms, deliveries } = props.totals;
  const { total, delivered, deliveredFirst, deadLettered } = deliveries;
  const first = deliveredFirst === null ? undefined : formatShare(deliveredFirst, total);
  const figures = {
    Accepted: [
      formatShare(delivered, total) ?? '–',
      `${formatCount(delivered)} of ${formatCount(total)}${first === undefined ? '' : `, ${first} at the first attempt`}`,
    ],
    'Waiting for a retry': props.waiting ?? [
      formatCount(total - delivered - deadLettered),
      `from ${SPAN_TEXTS[span]}`,
    ],
    'Given up': [
      formatCount(deadLettered),
      deadLettered === 0 ? (
        `none in ${SPAN_TEXTS[span]}`
      ) : (
        <Link to={PATHS.deliveries({ webhook: props.webhook, status: 'dead_lettered', ...since })}>
          {`after ${LIMITS.webhookAttempts} attempts each`}
        </Link>
      ),
    ],
    'Typical response': [
      formatAbout(p50Ms),
      p95Ms === null ? `no attempts in ${SPAN_TEXTS[span]}` : `95% under ${formatAbout(p95Ms)}`,
    ],
  } as const;
  return (
    <dl className={classes['figures']}>
      {Object.entries(figures).map(([name, [value, note]]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          <dd>{note}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Menu of the time spans. */
export function SpanMenu() {
  const { span } = useSpan();
  const [, setQuery] = useSearchParams();
  const label = (name: (typeof SPANS)[number]) => SPAN_TEXTS[name].replace('the last', 'Last');
  return (
    <Menu
      position="bottom-end"
      button={
        <Button variant="default" leftSection={<IconCalendar size={16} aria-hidden />}>
          {label(span)}
          <IconChevronDown size={14} aria-hidden />
        </Button>
      }
    >
      <MenuRadios
        value={span}
        options={SPANS.map((name) => ({ value: name, label: label(name) }))}
        onPick={(name) =>
          setQuery(
            (query) => {
              query.set('span', name);
              return query;
            },
            { replace: true, preventScrollReset: true },
          )
        }
      />
    </Menu>
  );
}

/** What a column of a sparkline consists of, from below. */
const SPARKS = [
  ['accepted', 'var(--chart-second)'],
  ['waiting', 'var(--warn-dot)'],
  ['givenUp', 'var(--bad-dot)'],
] as const;

/** Sparkline over time: gray columns, with what waits and what was given up on top. `label` describes it in words. */
export function Sparkline(props: { readonly points: readonly ChartPoint[]; readonly label: string }) {
  const bars = fewerPoints(props.points, 48);
  const most = Math.max(1, ...bars.map(({ accepted, waiting, givenUp }) => accepted + waiting + givenUp));
  const height = (count: number) => (count === 0 ? 0 : Math.max(1.5, (count / most) * 24));
  return (
    <svg
      role="img"
      aria-label={props.label}
      className={classes['spark']}
      viewBox={`0 0 ${bars.length} 24`}
      preserveAspectRatio="none"
    >
      {bars.map(({ at, ...counts }, x) => {
        let y = 24;
        return (
          <Fragment key={at.getTime()}>
            {SPARKS.map(([name, fill]) => {
              const tall = height(counts[name]);
              y -= tall;
              return <rect key={name} {...{ x, y, fill }} width={0.75} height={tall} />;
            })}
          </Fragment>
        );
      })}
    </svg>
  );
}
