import type { StatisticsBucket } from './api/hooks.js';

/** Available spans of statistics. */
export const SPANS = ['1h', '24h', '7d', '30d'] as const;

export type SpanName = (typeof SPANS)[number];

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const SPAN_HOURS: Readonly<Record<SpanName, number>> = { '1h': 1, '24h': 24, '7d': 7 * 24, '30d': 30 * 24 };
/** Widths of bars and rows in minutes. Each divides a day, so that one begins at each midnight. */
const STEP_MINUTES = [5, 10, 20, 30, 60, 180, 360, 720, 1_440] as const;

/** Name of each span in a sentence. */
export const SPAN_TEXTS: Readonly<Record<SpanName, string>> = {
  '1h': 'the last hour',
  '24h': 'the last 24 hours',
  '7d': 'the last 7 days',
  '30d': 'the last 30 days',
};

/** Returns the span with this name; the last day for other text. */
export function spanNamed(name: string | null): SpanName {
  return SPANS.find((span) => span === name) ?? '24h';
}

/**
 * Returns the query of a span up to now. It begins at a full hour, or at a full 5 minutes for the last hour, so that it is stable
 * for a while. It is never longer than its name.
 */
export function spanUntil(name: SpanName, now: Date): { readonly from?: string } {
  if (name === '24h') return {};
  const from = now.getTime() - SPAN_HOURS[name] * HOUR_MS;
  const step = name === '1h' ? 5 * MINUTE_MS : HOUR_MS;
  return { from: new Date(Math.ceil(from / step) * step).toISOString() };
}

/** A point of a chart: one bucket or several, possibly empty. */
export interface ChartPoint {
  readonly at: Date;
  readonly until: Date;
  readonly accepted: number;
  readonly waiting: number;
  readonly givenUp: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

type Bucket = Pick<StatisticsBucket, 'startsAt'> &
  Partial<Pick<StatisticsBucket, 'p50Ms' | 'p95Ms'>> & {
    readonly deliveries: Pick<StatisticsBucket['deliveries'], 'total' | 'delivered' | 'deadLettered'>;
  };

/** Returns all buckets of a span up to now, oldest first, including empty ones, which the API omits. */
export function chartPoints(
  statistics: { readonly buckets: readonly Bucket[]; readonly bucketMinutes: number },
  span: SpanName,
  now: Date,
): readonly ChartPoint[] {
  const widthMs = statistics.bucketMinutes * MINUTE_MS;
  const known = new Map(statistics.buckets.map((bucket) => [Date.parse(bucket.startsAt), bucket]));
  const last = Math.floor(now.getTime() / widthMs) * widthMs;
  const count = Math.ceil((SPAN_HOURS[span] * HOUR_MS) / widthMs);
  return Array.from({ length: count }, (_, place) => {
    const at = last - (count - 1 - place) * widthMs;
    const { deliveries, p50Ms = null, p95Ms = null } = known.get(at) ?? {};
    const { total, delivered, deadLettered } = deliveries ?? { total: 0, delivered: 0, deadLettered: 0 };
    return {
      at: new Date(at),
      until: new Date(at + widthMs),
      accepted: delivered,
      waiting: total - delivered - deadLettered,
      givenUp: deadLettered,
      p50Ms,
      p95Ms,
    };
  });
}

/**
 * Merges neighbouring points to about `most`: one more if the first and the last are cut. Merged points begin at full steps of the
 * reader's day. A merged duration is the longest one.
 */
export function fewerPoints(points: readonly ChartPoint[], most: number): readonly ChartPoint[] {
  const minutes = spanMs(points) / MINUTE_MS / most;
  const step = (STEP_MINUTES.find((each) => each >= minutes) ?? 1_440) * MINUTE_MS;
  const groups = new Map<number, ChartPoint[]>();
  for (const point of points) {
    const localMs = point.at.getTime() - point.at.getTimezoneOffset() * MINUTE_MS;
    const group = Math.floor(localMs / step);
    groups.set(group, [...(groups.get(group) ?? []), point]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    const last = group.at(-1);
    if (first === undefined || last === undefined) return [];
    const sum = (name: 'accepted' | 'waiting' | 'givenUp') =>
      group.reduce((total, point) => total + point[name], 0);
    return [
      {
        ...{ at: first.at, until: last.until },
        ...{ accepted: sum('accepted'), waiting: sum('waiting'), givenUp: sum('givenUp') },
        p50Ms: longest(group.map(({ p50Ms }) => p50Ms)),
        p95Ms: longest(group.map(({ p95Ms }) => p95Ms)),
      },
    ];
  });
}

/** Returns the time between the first and the last point. */
export function spanMs(points: readonly ChartPoint[]): number {
  return (points.at(-1)?.at.getTime() ?? 0) - (points[0]?.at.getTime() ?? 0);
}

/**
 * Returns the points that get a tick on the time axis, evenly spaced at round local times: every 10 minutes of an hour, every 4 hours
 * of a day, else every day, or every fourth one of a month.
 */
export function chartTicks(points: readonly ChartPoint[]): readonly ChartPoint[] {
  const span = spanMs(points);
  if (span <= HOUR_MS) return points.filter(({ at }) => at.getMinutes() % 10 === 0);
  if (span <= 24 * HOUR_MS) {
    return points.filter(({ at }) => at.getMinutes() === 0 && at.getHours() % 4 === 0);
  }
  const days = points.filter(({ at }, place) => {
    const before = points[place - 1];
    return before !== undefined && before.at.getDate() !== at.getDate();
  });
  return days.filter((_, day) => day % Math.ceil(days.length / 8) === 0);
}

/** The step of an axis from 0 with this many steps: the smallest round whole number that reaches the largest value. */
export function axisStep(largest: number, steps: number): number {
  const wanted = Math.max(1, largest / steps);
  const size = 10 ** Math.floor(Math.log10(wanted));
  return size * ([1, 2, 5].find((factor) => factor * size >= wanted) ?? 10);
}

function longest(durations: readonly (number | null)[]): number | null {
  const known = durations.filter((duration) => duration !== null);
  return known.length === 0 ? null : Math.max(...known);
}
