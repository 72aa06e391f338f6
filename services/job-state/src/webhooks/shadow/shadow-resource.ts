import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { ATTEMPT_OUTCOMES } from '@partner/proto-contracts/resources/attempt/attempt';
import {
  SHADOW_LIMITS,
  type ShadowDifference,
  type ShadowResult,
  type WebhookShadow,
} from '@partner/proto-contracts/resources/shadow/shadow';
import { type DurationHistogram, percentileMs } from '../statistics/duration-histogram.js';

/** The shadow of a subscription, as {@link SHADOW_COLUMNS} selects it. */
export interface ShadowRow {
  readonly id: string;
  readonly url: string;
  readonly percent: number;
  readonly headerNames: readonly string[] | null;
  readonly state: WebhookShadow['state'];
  readonly startedAt: Date;
  readonly endsAt: Date;
  readonly test: ShadowResult | null;
  readonly outcomes: OutcomeCounts;
  readonly skipped: number;
  readonly liveDurations: DurationHistogram;
  readonly shadowDurations: DurationHistogram;
  readonly differences: ShadowDifference[];
}

/** The number of deliveries by `<live outcome> <shadow outcome>`. */
type OutcomeCounts = Readonly<Record<string, number>>;

/** Columns of a {@link ShadowRow}, from `webhook_shadows w`. The states at the end of a span follow from the time. */
export const SHADOW_COLUMNS = `
  w.id, w.url, w.percent, w.header_names as "headerNames",
  case
    when w.state = 'running' and w.ends_at <= now() then 'ended'
    when w.state = 'testing' and w.started_at <= now() - make_interval(secs => ${SHADOW_LIMITS.testSeconds}) then 'refused'
    else w.state
  end as state,
  w.started_at as "startedAt", w.ends_at as "endsAt", w.test, w.outcomes, w.skipped,
  w.live_durations as "liveDurations", w.shadow_durations as "shadowDurations", w.differences`;

/** A shadow as the public API shows it. */
export function shownShadow(row: ShadowRow): WebhookShadow {
  return {
    id: row.id,
    url: row.url,
    percent: row.percent,
    headerNames: row.headerNames && [...row.headerNames],
    state: row.state,
    startedAt: formatDateTime(row.startedAt),
    endsAt: formatDateTime(row.endsAt),
    test: row.test,
    outcomes: ATTEMPT_OUTCOMES.flatMap((live) =>
      ATTEMPT_OUTCOMES.flatMap((shadow) => {
        const count = row.outcomes[`${live} ${shadow}`] ?? 0;
        return count === 0 ? [] : [{ live, shadow, count }];
      }),
    ),
    skipped: row.skipped,
    live: shownDurations(row.liveDurations),
    shadow: shownDurations(row.shadowDurations),
    differences: row.differences,
  };
}

function shownDurations(histogram: DurationHistogram): WebhookShadow['live'] {
  return { p50Ms: percentileMs(histogram, 0.5) ?? null, p95Ms: percentileMs(histogram, 0.95) ?? null };
}
