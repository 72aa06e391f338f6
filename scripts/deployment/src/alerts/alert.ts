import { withMatcher } from '../promql.js';

type Labels = Readonly<Record<string, string>>;

/** Values minute by minute in promtool's notation, by name and labels; a list has those of each replica. */
type Series = Readonly<Record<string, string | readonly string[]>>;

/** A test case of one alert: series, and the labels of the alerts that fire. */
export interface AlertCase {
  readonly when: string;
  readonly series: Readonly<Record<string, string>>;
  /** The time of the evaluation, from the first minute on. */
  readonly at: string;
  /** The labels of the firing alerts, without `severity`; empty: none fires. */
  readonly firing: readonly Labels[];
}

export interface Alert {
  /** In CamelCase; its words are the heading of the runbook's section. */
  readonly name: string;
  /** `critical`: partners miss something now, the engineer on call is paged. `warning`: to be handled on the same day. */
  readonly severity: 'critical' | 'warning';
  readonly expr: string;
  readonly for: string;
  readonly summary: string;
  readonly description: string;
  /** At least one that fires and one that stays quiet. */
  readonly cases: readonly AlertCase[];
}

/** The values of a series whose value is unknown for half an hour. */
export const UNKNOWN = Array.from({ length: 30 }, () => 'NaN').join(' ');

/** Returns a case in which the alert fires, with these labels. */
export function fires(labels: Labels, when: string, at: string, series: Series): AlertCase {
  return { ...quiet(when, at, series), firing: [labels] };
}

export function quiet(when: string, at: string, series: Series): AlertCase {
  const each = Object.entries(series).flatMap(([name, values]): (readonly [string, string])[] =>
    typeof values === 'string'
      ? [[name, values]]
      : values.map((value, index) => [withMatcher(name, `instance="${index}"`), value]),
  );
  return { when, at, series: Object.fromEntries(each), firing: [] };
}

/** Returns a case without any scraped series. */
export function noData(labels: Labels = {}, at = '30m'): AlertCase {
  return fires(labels, 'there is no data', at, {});
}

type Details = Omit<Alert, 'name' | 'severity' | 'for'>;

/** Returns an alert that pages the engineer on call if its expression is true for the duration. */
export function critical(name: string, lasting: string, details: Details): Alert {
  return { name, severity: 'critical', for: lasting, ...details };
}

/** Returns an alert to be handled on the same day if its expression is true for the duration. */
export function warning(name: string, lasting: string, details: Details): Alert {
  return { name, severity: 'warning', for: lasting, ...details };
}

/** The file of the runbooks, relative to the project root. */
export const RUNBOOKS_FILE = 'charts/docs/runbooks.md';

/** Returns the heading of the alert's section in the runbooks: `Partner outbox late` for `PartnerOutboxLate`. */
export function runbookHeading({ name }: Pick<Alert, 'name'>): string {
  return name.replaceAll(/(?<=.)[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
}

export function runbookOf(alert: Pick<Alert, 'name'>): string {
  return `${RUNBOOKS_FILE}#${runbookHeading(alert).toLowerCase().replaceAll(' ', '-')}`;
}
