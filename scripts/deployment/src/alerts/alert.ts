import { invariant } from '@partner/kernel/process/invariant';
import { withMatcher } from '../promql.js';

type Labels = Readonly<Record<string, string>>;

export interface AlertCase {
  readonly when: string;
  /** Values minute by minute in promtool's notation, by name and labels. */
  readonly series: Readonly<Record<string, string>>;
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
  readonly cases: readonly AlertCase[];
}

const HEAD = /^(critical|warning) (\w+) (\w+): (.+)$/;
const CASE = /^ {2}(fires|quiet) at (\w+)(?: (\{.*?\}))?: (.+)\n([^]*)$/;

/**
 * Parses the alerts of a service. `$service` is the matcher of its series, `$name` its name.
 *
 *     warning NameOfAlert 5m: Its summary      for how long the expression is true before it fires
 *       Its description.
 *       > expression                           a line each
 *       fires at 10m {label="value"}: when
 *         series{label="value"}: 0x5 1x30 | unknown     minute by minute in promtool's notation, for each replica
 *       quiet at 10m: when
 *
 * A line that is indented by more than four continues the one before it. Throws for an alert in another notation.
 */
export function parseAlerts(text: string, service: string): readonly Alert[] {
  return text
    .replaceAll('$service', `partner_service="${service}"`)
    .replaceAll('$name', service)
    .replaceAll(/\n {5,}/g, ' ')
    .trim()
    .split(/\n+(?=\S)/)
    .map(parseAlert);
}

function parseAlert(block: string): Alert {
  const [body = '', ...cases] = block.split(/\n(?= {2}(?:fires|quiet) at )/);
  const [head = '', ...lines] = body.split('\n');
  const [, severity, name = '', lasting = '', summary = ''] = HEAD.exec(head) ?? [];
  invariant(severity === 'critical' || severity === 'warning', `${head} begins an alert`);
  const [expr, description] = [true, false].map((isQuery) =>
    lines.filter((line) => line.startsWith('  > ') === isQuery),
  );
  return {
    ...{ name, severity, for: lasting, summary },
    description: (description ?? []).map((line) => line.trim()).join(' '),
    expr: (expr ?? []).map((line) => line.slice(4)).join('\n'),
    cases: cases.map(parseCase),
  };
}

function parseCase(block: string): AlertCase {
  const [, kind, at = '', labels = '', when = '', series = ''] = CASE.exec(`${block}\n`) ?? [];
  invariant(kind !== undefined, `${block} is a case`);
  const matched = [...labels.matchAll(/(\w+)="(.*?)"/g)].map(([, label = '', value = '']) => [label, value]);
  return {
    ...{ when, at, series: parseSeries(series) },
    firing: kind === 'fires' ? [Object.fromEntries(matched)] : [],
  };
}

/** A value that is unknown for half an hour. */
const UNKNOWN = Array.from({ length: 30 }, () => 'NaN').join(' ');

function parseSeries(text: string): AlertCase['series'] {
  const series = [...text.matchAll(/^ {4}(.+?): (.+)$/gm)].flatMap(([, name = '', values = '']) => {
    const replicas = values.replaceAll('unknown', UNKNOWN).split(' | ');
    return replicas.map((value, index): [string, string] => [
      replicas.length === 1 ? name : withMatcher(name, `instance="${index}"`),
      value,
    ]);
  });
  return Object.fromEntries(series);
}

export const RUNBOOKS_FILE = 'charts/docs/runbooks.md';

/** Returns the heading of the alert's section in the runbooks: `Partner outbox late` for `PartnerOutboxLate`. */
export function runbookHeading({ name }: Pick<Alert, 'name'>): string {
  return name.replaceAll(/(?<=.)[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
}

export function runbookOf(alert: Pick<Alert, 'name'>): string {
  return `${RUNBOOKS_FILE}#${runbookHeading(alert).toLowerCase().replaceAll(' ', '-')}`;
}
