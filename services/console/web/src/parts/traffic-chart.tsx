import { type ComponentProps, type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { Link } from './link.js';
import { formatAbout, formatClock, formatCount, formatDay } from '../format.js';
import { PATHS } from '../paths.js';
import { axisStep, type ChartPoint, chartTicks, fewerPoints, spanMs } from '../statistics-span.js';
import { DataTable } from './data.js';
import { Details } from './page.js';
import classes from './traffic.module.css';

const BARS = 48;
const TABLE_ROWS = 30;

/** Each part of a bar from the bottom. */
const PARTS = { accepted: 'Accepted', waiting: 'Waiting', givenUp: 'Given up' } as const;
const PART_NAMES = ['accepted', 'waiting', 'givenUp'] as const;
const LINES = { p50Ms: 'Typical', p95Ms: '95% are faster' } as const;

/** Charts of deliveries, by the time of their creation, and of response times, with a table of the same values. */
export function TrafficChart(props: {
  readonly points: readonly ChartPoint[];
  /** The span in words, e.g. `the last 24 hours`. */
  readonly spanText: string;
  /** The only webhook that they are about. */
  readonly webhook?: string | undefined;
}) {
  const { spanText, webhook } = props;
  const points = fewerPoints(props.points, BARS);
  const isLong = spanMs(points) > 24 * 3_600_000;
  const time = (at: Date) => `${isLong ? `${formatDay(at)}, ` : ''}${formatClock(at)}`;
  const ticks = new Map(chartTicks(points).map(({ at }) => [at, (isLong ? formatDay : formatClock)(at)]));
  const common = {
    points,
    ticks,
    timeOf: ({ at, until }: ChartPoint) => `${time(at)} to ${time(until)}`,
  };
  const largest = Math.max(...points.map(({ accepted, waiting, givenUp }) => accepted + waiting + givenUp));
  const slowest = Math.max(...points.map(({ p50Ms, p95Ms }) => p95Ms ?? p50Ms ?? 0));
  const [countStep, msStep] = [axisStep(largest, 4), axisStep(slowest, 2)];
  return (
    <>
      <div className={classes['charts']}>
        <Plot
          {...common}
          name={`Deliveries of ${spanText}, by when they were created`}
          axis={[0, 1, 2, 3, 4].map((step) => formatCount(step * countStep))}
          valuesOf={countsOf}
          linkOf={({ at, until, accepted, waiting, givenUp }) =>
            accepted + waiting + givenUp === 0
              ? undefined
              : PATHS.deliveries({ webhook, from: at.toISOString(), to: until.toISOString() })
          }
          barOf={(point) =>
            PART_NAMES.map((part) => (
              <i
                key={part}
                className={classes[part]}
                style={{ height: `${(point[part] / countStep) * 25}%` }}
              />
            ))
          }
        />
        <Plot
          {...common}
          name={`Response times of your server in ${spanText}`}
          ticks={new Map([...ticks].filter((_, place) => place % 3 === 0))}
          axis={[0, 1, 2].map((step) => (step === 0 ? '0' : axisTime(step * msStep)))}
          valuesOf={timesOf}
        >
          <svg viewBox={`0 0 ${points.length} 100`} preserveAspectRatio="none" aria-hidden>
            {(['p95Ms', 'p50Ms'] as const).map((line) => (
              <path key={line} className={classes[line]} d={pathOf(points, line, msStep / 50)} />
            ))}
          </svg>
        </Plot>
      </div>
      <Details summary="Show as a table">
        {() => (
          <DataTable
            caption={`Deliveries and response times of ${spanText}, oldest first`}
            rows={fewerPoints(points, TABLE_ROWS)}
            rowKey={({ at }) => at.toISOString()}
            columns={{
              [`Created (${new Intl.DateTimeFormat().resolvedOptions().timeZone})`]: common.timeOf,
              ...TABLE,
            }}
            numbers={Object.keys(TABLE)}
          />
        )}
      </Details>
    </>
  );
}

function countsOf(point: ChartPoint) {
  return Object.fromEntries(PART_NAMES.map((part) => [PARTS[part], formatCount(point[part])]));
}

function timesOf({ p50Ms, p95Ms }: ChartPoint) {
  return { [LINES.p50Ms]: formatAbout(p50Ms), [LINES.p95Ms]: formatAbout(p95Ms) };
}

const TABLE: ComponentProps<typeof DataTable<ChartPoint>>['columns'] = {
  ...Object.fromEntries(
    PART_NAMES.map((part) => [PARTS[part], (point: ChartPoint) => formatCount(point[part])]),
  ),
  Typical: ({ p50Ms }) => formatAbout(p50Ms),
  '95% under': ({ p95Ms }) => formatAbout(p95Ms),
};

const axisTime = (ms: number) => (ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`);

/** Path of a line in the middle of its columns. It has a gap where a value is missing; a single value is a short line. */
function pathOf(points: readonly ChartPoint[], line: keyof typeof LINES, msPerUnit: number): string {
  return points
    .map((point, place) => {
      const value = point[line];
      if (value === null) return '';
      const [before, after] = [points[place - 1]?.[line] ?? null, points[place + 1]?.[line] ?? null];
      const height = 100 - value / msPerUnit;
      if (before !== null) return `L${place + 0.5} ${height}`;
      return after === null ? `M${place} ${height}h1` : `M${place + 0.5} ${height}`;
    })
    .join('');
}

/**
 * A chart with one column for each point. The column under the pointer or the focus shows its values; arrow keys move between columns,
 * and a click or Enter follows the column's link.
 */
function Plot(props: {
  readonly name: string;
  readonly points: readonly ChartPoint[];
  readonly ticks: ReadonlyMap<Date, string>;
  readonly timeOf: (point: ChartPoint) => string;
  /** Labels of the vertical axis from 0, evenly spaced. */
  readonly axis: readonly string[];
  readonly valuesOf: (point: ChartPoint) => Readonly<Record<string, string>>;
  readonly linkOf?: (point: ChartPoint) => string | undefined;
  readonly barOf?: (point: ChartPoint) => ReactNode;
  readonly children?: ReactNode;
}) {
  const { name, points, ticks, timeOf, axis, valuesOf, linkOf, barOf, children } = props;
  const last = points.length - 1;
  const [shown, setShown] = useState<number | null>(null);
  const [reached, setReached] = useState(last);
  const columns = useRef<HTMLDivElement>(null);
  const current = Math.min(reached, last);
  const move = (event: KeyboardEvent) => {
    if (event.key === 'Escape') setShown(null);
    const to = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: last }[event.key] ?? -1;
    const column = columns.current?.children[to];
    if (!(column instanceof HTMLElement)) return;
    event.preventDefault();
    column.focus();
  };
  const point = shown === null ? undefined : points[shown];
  return (
    <div>
      <div className={classes['legend']} aria-hidden>
        {points
          .slice(0, 1)
          .flatMap((first) => Object.keys(valuesOf(first)))
          .map((value) => (
            <span key={value}>{value}</span>
          ))}
      </div>
      <div className={classes['plot']} onMouseLeave={() => setShown(null)}>
        {axis.map((label, step) => (
          <div
            key={label}
            className={classes['tick']}
            style={{ bottom: `${(step / (axis.length - 1)) * 100}%` }}
          >
            <span>{label}</span>
          </div>
        ))}
        {children}
        <div
          ref={columns}
          className={classes['columns']}
          role="group"
          aria-label={`${name}. The arrow keys move through it.`}
          onKeyDown={move}
          onBlur={() => setShown(null)}
        >
          {points.map((each, place) => {
            const to = linkOf?.(each);
            const values = Object.entries(valuesOf(each)).map(([of, value]) => `${of} ${value}`);
            const column = {
              className: classes['column'],
              'aria-label': `${timeOf(each)}: ${values.join(', ')}`,
              tabIndex: place === current ? 0 : -1,
              onMouseEnter: () => setShown(place),
              onFocus: () => {
                setShown(place);
                setReached(place);
              },
            };
            const inside = (
              <>
                {barOf?.(each)}
                {ticks.has(each.at) && <span aria-hidden>{ticks.get(each.at)}</span>}
              </>
            );
            return to === undefined ? (
              <div key={place} role="img" {...column}>
                {inside}
              </div>
            ) : (
              <Link key={place} to={to} {...column}>
                {inside}
              </Link>
            );
          })}
        </div>
        {point !== undefined && shown !== null && (
          <div
            className={classes['card']}
            style={{ insetInlineStart: `${(shown / last) * 100}%`, translate: `${(-shown / last) * 100}%` }}
            aria-hidden
          >
            <b>{timeOf(point)}</b>
            {Object.entries(valuesOf(point)).map(([of, value]) => (
              <div key={of}>
                {of}
                <span>{value}</span>
              </div>
            ))}
          </div>
        )}
      </div>
    </div>
  );
}
