/** What one alert does with certain series: a case of its tests. */
export interface AlertCase {
  /** What stands behind the series. */
  readonly when: string;
  /** Series by name and labels, each with its values minute by minute in promtool's notation. */
  readonly series: Readonly<Record<string, string>>;
  /** When it is looked, from the first minute on. */
  readonly at: string;
  /** The labels of what fires then, without `severity`; none: nothing does. */
  readonly firing: readonly Readonly<Record<string, string>>[];
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

/** A case in which nothing is scraped at all. */
export function noData(firing: Readonly<Record<string, string>> = {}, at = '30m'): AlertCase {
  return { when: 'there is no data', series: {}, at, firing: [firing] };
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
