import type { StatisticsBucket, StatisticsSpan } from './api/statistics.js';

/** Available spans of statistics. */
export const SPANS = ['24h', '7d', '30d'] as const;

export type SpanName = (typeof SPANS)[number];

const HOUR_MS = 3_600_000;
const SPAN_HOURS: Readonly<Record<SpanName, number>> = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24 };

/** Name of each span in a sentence. */
export const SPAN_TEXTS: Readonly<Record<SpanName, string>> = {
  '24h': 'the last 24 hours',
  '7d': 'the last 7 days',
  '30d': 'the last 30 days',
};

/** Returns the span with this name; the shortest for other text. */
export function spanNamed(name: string | null): SpanName {
  return SPANS.find((span) => span === name) ?? '24h';
}

/**
 * Returns the query of a span up to now. It begins at a full hour, so that it is stable for a while, and is never longer than its
 * name.
 */
export function spanUntil(name: SpanName, now: Date): StatisticsSpan {
  if (name === '24h') return {};
  const from = now.getTime() - SPAN_HOURS[name] * HOUR_MS;
  return { from: new Date(Math.ceil(from / HOUR_MS) * HOUR_MS).toISOString() };
}

/** A point of a chart: one bucket, possibly empty. */
export interface ChartPoint {
  readonly at: Date;
  readonly delivered: number;
  readonly failed: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

/** Returns all buckets of a span up to now, oldest first, including empty ones, which the API omits. */
export function chartPoints(
  statistics: { readonly buckets: readonly StatisticsBucket[]; readonly bucketMinutes: number },
  span: SpanName,
  now: Date,
): readonly ChartPoint[] {
  const widthMs = statistics.bucketMinutes * 60_000;
  const known = new Map(statistics.buckets.map((bucket) => [Date.parse(bucket.startsAt), bucket]));
  const last = Math.floor(now.getTime() / widthMs) * widthMs;
  const count = Math.ceil((SPAN_HOURS[span] * HOUR_MS) / widthMs);
  return Array.from({ length: count }, (_, place) => {
    const at = last - (count - 1 - place) * widthMs;
    const bucket = known.get(at);
    return {
      at: new Date(at),
      delivered: bucket?.delivered ?? 0,
      failed: bucket?.failed ?? 0,
      p50Ms: bucket?.p50Ms ?? null,
      p95Ms: bucket?.p95Ms ?? null,
    };
  });
}

/** Merges neighbouring points to at most `most`. A merged duration is the longest one. */
export function fewerPoints(points: readonly ChartPoint[], most: number): readonly ChartPoint[] {
  const size = Math.max(1, Math.ceil(points.length / most));
  const groups = Array.from({ length: Math.ceil(points.length / size) }, (_, group) =>
    points.slice(group * size, (group + 1) * size),
  );
  return groups.flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    return [
      {
        at: first.at,
        delivered: group.reduce((sum, { delivered }) => sum + delivered, 0),
        failed: group.reduce((sum, { failed }) => sum + failed, 0),
        p50Ms: longest(group.map(({ p50Ms }) => p50Ms)),
        p95Ms: longest(group.map(({ p95Ms }) => p95Ms)),
      },
    ];
  });
}

function longest(durations: readonly (number | null)[]): number | null {
  const known = durations.filter((duration) => duration !== null);
  return known.length === 0 ? null : Math.max(...known);
}
