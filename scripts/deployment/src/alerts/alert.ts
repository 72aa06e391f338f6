import { invariant } from '@partner/kernel/process/invariant';
import { withMatcher } from '../promql/promql.js';

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
 * An alert whose expression has `absent` has one more case: it fires if there is no data.
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
  const [queries = [], about = []] = [true, false].map((isQuery) =>
    lines.filter((line) => line.startsWith('  > ') === isQuery),
  );
  const expr = queries.map((line) => line.slice(4)).join('\n');
  return {
    ...{ name, severity, for: lasting, summary, expr },
    description: about.map((line) => line.trim()).join(' '),
    cases: [...cases.map(parseCase), ...casesWithoutData(expr, lasting)],
  };
}

/** The result of `absent` has the labels that a selector names, and none for another expression. */
function casesWithoutData(expr: string, lasting: string): readonly AlertCase[] {
  const [absent, labels = ''] = /absent\((?:\w+(\{.*?\})\))?/.exec(expr) ?? [];
  if (absent === undefined) return [];
  const at = lasting === '1h' ? '90m' : '30m';
  return [{ when: 'there is no data', at, series: {}, firing: [parseLabels(labels)] }];
}

function parseCase(block: string): AlertCase {
  const [, kind, at = '', labels = '', when = '', series = ''] = CASE.exec(`${block}\n`) ?? [];
  invariant(kind !== undefined, `${block} is a case`);
  return {
    ...{ when, at, series: parseSeries(series) },
    firing: kind === 'fires' ? [parseLabels(labels)] : [],
  };
}

function parseLabels(text: string): Labels {
  const pairs = text.matchAll(/(\w+)="(.*?)"/g);
  return Object.fromEntries([...pairs].map(([, label = '', value = '']) => [label, value]));
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
