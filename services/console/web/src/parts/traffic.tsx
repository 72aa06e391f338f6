import { SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { type ComponentProps, lazy, Suspense, useState } from 'react';
import { useSearchParams } from 'react-router';
import type { AttemptCounts, Output } from '../api/hooks.js';
import { formatCount, formatDuration, formatShare } from '../format.js';
import classes from './traffic.module.css';
import {
  type ChartPoint,
  chartPoints,
  fewerPoints,
  SPAN_TEXTS,
  type SpanName,
  spanNamed,
  SPANS,
  spanUntil,
} from '../statistics-span.js';
import { Panel, QueryView } from './page.js';
import { useNow } from './data.js';

/** The selected time span of statistics, which is kept in the page's query, and its start for a request. */
export function useSpan() {
  const now = useNow();
  const [query] = useSearchParams();
  const span = spanNamed(query.get('span'));
  return { now, span, since: spanUntil(span, now) };
}

type Attempts = Pick<Output<'getStatistics'>, 'totals' | 'buckets' | 'bucketMinutes'>;

/** Attempts in the selected time span: figures and charts. */
export function TrafficPanel(props: {
  readonly title: string;
  readonly label: string;
  readonly query: Parameters<typeof QueryView<Attempts>>[0]['query'];
  /** Follows the text that there were none. */
  readonly note?: string;
  /** Whether there are figures without an attempt. */
  readonly hasZeros?: boolean;
}) {
  const { title, label, query, note = '', hasZeros = false } = props;
  const { now, span } = useSpan();
  return (
    <Panel title={title} actions={<SpanSwitch span={span} />}>
      <QueryView query={query} label={label}>
        {(data) => (
          <Stack gap="lg">
            {(hasZeros || data.totals.attempts > 0) && <AttemptFigures totals={data.totals} />}
            {data.totals.attempts === 0 ? (
              <Text c="dimmed">{`No deliveries in ${SPAN_TEXTS[span]}.${note}`}</Text>
            ) : (
              <LazyTrafficChart points={chartPoints(data, span, now)} spanText={SPAN_TEXTS[span]} />
            )}
          </Stack>
        )}
      </QueryView>
    </Panel>
  );
}

/** Figures about attempts, side by side. */
function AttemptFigures({ totals }: { readonly totals: AttemptCounts }) {
  const figures = [
    ['Success rate', formatShare(totals.delivered, totals.attempts) ?? '–'],
    ['Attempts', formatCount(totals.attempts)],
    ['Failed attempts', formatCount(totals.failed)],
    ['Dead-lettered', formatCount(totals.deadLettered)],
    ['p95', formatDuration(totals.p95Ms)],
  ] as const;
  return (
    <dl className={classes['figures']}>
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const Loaded = lazy(async () => ({ default: (await import('./traffic-chart.js')).TrafficChart }));

/** Charts of attempts and durations over time. They are loaded once they come into view. */
function LazyTrafficChart(props: ComponentProps<typeof Loaded>) {
  const { ref, inViewport } = useInViewport();
  const [wasSeen, setSeen] = useState(false);
  if (inViewport && !wasSeen) setSeen(true);
  const placeholder = <Skeleton ref={ref} height={252} aria-busy={wasSeen} />;
  return wasSeen ? (
    <Suspense fallback={placeholder}>
      <Loaded {...props} />
    </Suspense>
  ) : (
    placeholder
  );
}

const LABELS = { '1h': '1 hour', '24h': '24 hours', '7d': '7 days', '30d': '30 days' } as const;

function SpanSwitch({ span }: { readonly span: SpanName }) {
  const [, setQuery] = useSearchParams();
  return (
    <SegmentedControl
      aria-label="Time span"
      value={span}
      onChange={(value) =>
        setQuery(
          (query) => {
            query.set('span', value);
            return query;
          },
          { replace: true, preventScrollReset: true },
        )
      }
      data={SPANS.map((value) => ({ value, label: LABELS[value] }))}
      size="xs"
    />
  );
}

const BARS = 48;
const HEIGHT = 28;
const WIDTH = 3;
const GAP = 1;

/** Sparkline of attempts over time: delivered ones with failed ones on top. `label` describes it in words. */
export function Sparkline(props: { readonly points: readonly ChartPoint[]; readonly label: string }) {
  const bars = fewerPoints(props.points, BARS);
  const most = Math.max(1, ...bars.map(({ delivered, failed }) => delivered + failed));
  const width = bars.length * (WIDTH + GAP);
  const height = (count: number) => (count === 0 ? 0 : Math.max(1.5, (count / most) * (HEIGHT - 2)));
  return (
    <svg role="img" aria-label={props.label} width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`}>
      <line x1={0} x2={width} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} stroke="var(--line)" />
      {bars.map(({ at, delivered, failed }, place) => {
        const x = place * (WIDTH + GAP);
        const good = height(delivered);
        const bad = height(failed);
        return (
          <g key={at.getTime()}>
            <rect x={x} y={HEIGHT - 1 - good} width={WIDTH} height={good} fill="var(--chart-accepted)" />
            <rect x={x} y={HEIGHT - 1 - good - bad} width={WIDTH} height={bad} fill="var(--bad-dot)" />
          </g>
        );
      })}
    </svg>
  );
}
