import { withMatcher } from '../label-matchers.js';

type Labels = Readonly<Record<string, string>>;

/** Values minute by minute in promtool's notation, by name and labels. */
type Series = Readonly<Record<string, string>>;

/** What one alert does with certain series: a case of its tests. */
export interface AlertCase {
  /** What stands behind the series. */
  readonly when: string;
  readonly series: Series;
  /** When it is looked, from the first minute on. */
  readonly at: string;
  /** The labels of what fires then, without `severity`; none: nothing does. */
  readonly firing: readonly Labels[];
}

/** One alert of a service's chart. */
export interface Alert {
  /** In CamelCase; its words head the section of the runbook. */
  readonly name: string;
  /** `critical`: partners miss something now, the engineer on call is paged. `warning`: look at it on the same day. */
  readonly severity: 'critical' | 'warning';
  readonly expr: string;
  readonly for: string;
  readonly summary: string;
  readonly description: string;
  /** At least one that fires and one that stays quiet. */
  readonly cases: readonly AlertCase[];
}

/** The values of a series over half an hour in which the value is not known. */
export const UNKNOWN = Array.from({ length: 30 }, () => 'NaN').join(' ');

/** A case in which the alert fires, with these labels. */
export function fires(labels: Labels, when: string, at: string, series: Series): AlertCase {
  return { when, at, series, firing: [labels] };
}

/** A case in which nothing fires. */
export function quiet(when: string, at: string, series: Series): AlertCase {
  return { when, at, series, firing: [] };
}

/** A case in which nothing is scraped at all. */
export function noData(labels: Labels = {}, at = '30m'): AlertCase {
  return fires(labels, 'there is no data', at, {});
}

/** A series of each replica, with its values. */
export function replicas(series: string, ...values: readonly string[]): Series {
  return Object.fromEntries(
    values.map((value, index) => [withMatcher(series, `instance="${index}"`), value]),
  );
}

type Details = Omit<Alert, 'name' | 'severity' | 'for'>;

/** An alert that pages the engineer on call if its expression holds for so long. */
export function critical(name: string, lasting: string, details: Details): Alert {
  return { name, severity: 'critical', for: lasting, ...details };
}

/** An alert to look at on the same day if its expression holds for so long. */
export function warning(name: string, lasting: string, details: Details): Alert {
  return { name, severity: 'warning', for: lasting, ...details };
}

/** The file that holds the runbooks, from the root of the project. */
export const RUNBOOKS_FILE = 'charts/docs/runbooks.md';

/** The heading of the alert's section in the runbooks: `PartnerOutboxLate` is `Partner outbox late`. */
export function runbookHeading({ name }: Pick<Alert, 'name'>): string {
  return name.replaceAll(/(?<=.)[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
}

/** Where the section is, as a link. */
export function runbookOf(alert: Pick<Alert, 'name'>): string {
  return `${RUNBOOKS_FILE}#${runbookHeading(alert).toLowerCase().replaceAll(' ', '-')}`;
}
