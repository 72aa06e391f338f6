import { invariant } from '@partner/kernel/process/invariant';
import { CHOSEN_NAMESPACE, withMatcher } from '../promql/promql.js';

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly about: string;
  /** The service that `$service` selects in queries; absent: no query has it. */
  readonly service?: string;
  /**
   * Questions, `# …?`, and below each its panels:
   *
   *     stat(s) Title | warn 15, alarm 60 | width 12      or `warn below 0.9, alarm below 0.5`
   *       What it means.
   *       > query                  named by its grouping labels, else by the title; goes on in lines that are indented further
   *       > [name] query
   *       > p50 p95 p99 of histogram{matchers}           or `p95 by label, label of histogram{matchers}`
   */
  readonly panels: string;
}

const QUESTION = /^# (.+)$/m;
const QUANTILES = /^(p\d\d(?: p\d\d)*)(?: by ([\w, ]+))? of (\w+)(\{.*\})?$/;
const HEAD = /^(stat|timeline|table)\((\w+)\) ([^|]+?)(?: \| ([^\n]*))?$/;

/** Returns the panels of each question. Throws for a line that is no part of the notation. */
function parsePanels({ panels, service = '' }: Dashboard) {
  const [before = '', ...parts] = panels
    .replaceAll('$service', `partner_service="${service}"`)
    .split(QUESTION);
  invariant(before.trim() === '', 'every panel has a question');
  return Array.from({ length: parts.length / 2 }, (_, index) => {
    const blocks = (parts[2 * index + 1] ?? '').trim().split(/\n+(?=\S)/);
    return { question: parts[2 * index] ?? '', shown: blocks.map(parsePanel) };
  });
}

type Panel = ReturnType<typeof parsePanel>;

function parsePanel(block: string) {
  const [head = '', ...lines] = block.split('\n');
  const [, kind, unit = '', title = '', options = ''] = HEAD.exec(head) ?? [];
  invariant(isKind(kind), `${head} begins a panel`);
  const [about = '', ...queries] = lines.join('\n').split(/\n {2}> /);
  const optionOf = (name: string) => {
    const [, value] = new RegExp(`\\b${name} (?:below )?([\\d.]+)`).exec(options) ?? [];
    return value === undefined ? undefined : Number(value);
  };
  return {
    kind,
    /** Grafana's name of it, e.g. `s`, `short`, `percentunit`, `dateTimeFromNow`. */
    unit,
    title,
    about: inOneLine(about),
    queries: queries.flatMap((query) => parseQuery(inOneLine(query), title)),
    ...{ warn: optionOf('warn'), alarm: optionOf('alarm'), width: optionOf('width') },
    /** Then the thresholds are lower bounds. */
    isGoodWhenHigh: options.includes('below'),
  };
}

const inOneLine = (text: string) => text.trim().replaceAll(/\s+/g, ' ');

function parseQuery(query: string, title: string) {
  const [, name, text = ''] = /^(?:\[(.+?)\] )?(.+)$/.exec(query) ?? [];
  const named = (expr: string) => ({ expr, legend: name ?? legendOf(expr) ?? title });
  const [, quantiles = '', labels, histogram, matchers = ''] = QUANTILES.exec(text) ?? [];
  if (histogram === undefined) return [named(text)];
  const by = labels === undefined ? 'le' : `le, ${labels}`;
  return quantiles.split(' ').map((quantile, _index, { length }) => {
    const share = Number(`0.${quantile.slice(1)}`);
    const expr = `histogram_quantile(${share}, sum by (${by}) (rate(${histogram}_bucket${matchers}[5m])))`;
    return length > 1 ? { expr, legend: quantile } : named(expr);
  });
}

const COLUMNS = 24;
/** A stat shows the current value, a timeline its history, a table the current values, a row for each label set. */
const KINDS = {
  stat: {
    type: 'stat',
    height: 4,
    width: 6,
    more: { options: { colorMode: 'background', graphMode: 'none' } },
  },
  timeline: {
    ...{ type: 'timeseries', height: 8, width: 12 },
    more: { options: { tooltip: { mode: 'multi', sort: 'desc' } } },
  },
  table: {
    ...{ type: 'table', height: 8, width: 12 },
    more: {
      transformations: [{ id: 'organize', options: { excludeByName: { Time: true, __name__: true } } }],
    },
  },
} as const;
const DATA_SOURCE = { type: 'prometheus', uid: '${datasource}' } as const;

/** The namespaces of the services in Prometheus; none without labels of namespaces. */
const NAMESPACES = 'label_values(partner_service_ready, namespace)';

const VARIABLES = [
  {
    name: 'datasource',
    label: 'Data source',
    type: 'datasource',
    query: 'prometheus',
  },
  {
    name: 'namespace',
    label: 'Namespace',
    type: 'query',
    datasource: DATA_SOURCE,
    definition: NAMESPACES,
    query: { query: NAMESPACES, refId: 'namespaces' },
    refresh: 2,
    sort: 1,
    includeAll: true,
    // Not the list of all namespaces: it also includes series without a namespace.
    allValue: '.*',
    multi: false,
    current: { selected: true, text: 'All', value: '$__all' },
  },
] as const;

const isKind = (text: string | undefined): text is keyof typeof KINDS => text !== undefined && text in KINDS;

/** A link to every dashboard of the service, which preserves the time range and the variables. */
const LINK_TO_ALL = {
  type: 'dashboards',
  title: 'Partner integration service',
  tags: ['partner'],
  keepTime: true,
  includeVars: true,
} as const;

/**
 * Renders a dashboard as Grafana imports it: a row for each question, panels from left to right, linked to all the others. Its
 * variable `namespace` selects the namespace of all its queries.
 */
export function renderDashboard(dashboard: Dashboard) {
  const { uid, title, about } = dashboard;
  return {
    uid,
    title,
    description: about,
    tags: ['partner'],
    timezone: 'browser',
    schemaVersion: 39,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: VARIABLES },
    annotations: { list: [] },
    links: [LINK_TO_ALL],
    panels: renderRows(dashboard),
  };
}

function renderRows(dashboard: Dashboard): readonly object[] {
  const panels: object[] = [];
  let id = 0;
  let y = 0;
  for (const { question, shown } of parsePanels(dashboard)) {
    id += 1;
    panels.push({
      id,
      type: 'row',
      title: question,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
    });
    y += 1;
    let x = 0;
    let lineHeight = 0;
    for (const panel of shown) {
      const { height: h, width } = KINDS[panel.kind];
      const w = panel.width ?? width;
      if (x + w > COLUMNS || (x > 0 && h !== lineHeight)) {
        x = 0;
        y += lineHeight;
      }
      lineHeight = h;
      id += 1;
      panels.push(renderPanel(panel, { id, gridPos: { x, y, w, h } }));
      x += w;
    }
    y += lineHeight;
  }
  return panels;
}

function renderPanel(panel: Panel, place: { readonly id: number; readonly gridPos: object }) {
  const { kind } = panel;
  return {
    ...place,
    type: KINDS[kind].type,
    title: panel.title,
    description: panel.about,
    datasource: DATA_SOURCE,
    targets: panel.queries.map(({ expr, legend }, index) => ({
      refId: String.fromCodePoint(65 + index),
      datasource: DATA_SOURCE,
      expr: withMatcher(expr, CHOSEN_NAMESPACE),
      legendFormat: legend,
      ...(kind === 'timeline' ? { range: true } : { instant: true }),
      ...(kind === 'table' && { format: 'table' }),
    })),
    fieldConfig: {
      defaults: {
        unit: panel.unit,
        ...(panel.unit !== 'dateTimeFromNow' && { min: 0 }),
        noValue: '–',
        color: { mode: kind === 'timeline' ? 'palette-classic' : 'thresholds' },
        thresholds: thresholdsOf(panel),
        ...(kind === 'timeline' && {
          custom: {
            fillOpacity: 8,
            showPoints: 'never',
            ...(panel.alarm !== undefined && { thresholdsStyle: { mode: 'line' } }),
          },
        }),
      },
      overrides: [],
    },
    ...KINDS[kind].more,
  };
}

function legendOf(expr: string): string | undefined {
  const [, labels = ''] = /\bby \(([^)]*)\)/.exec(expr) ?? [];
  const shown = labels.split(', ').filter((label) => label !== '' && label !== 'le');
  return shown.length === 0 ? undefined : shown.map((label) => `{{${label}}}`).join(' ');
}

function thresholdsOf({ warn, alarm, isGoodWhenHigh }: Panel) {
  const step = (color: string, value: number | undefined) => (value === undefined ? [] : [{ color, value }]);
  const isLimited = warn !== undefined || alarm !== undefined;
  const steps = isGoodWhenHigh
    ? [{ color: 'red', value: null }, ...step('orange', alarm), ...step('green', warn)]
    : [{ color: isLimited ? 'green' : 'blue', value: null }, ...step('orange', warn), ...step('red', alarm)];
  return { mode: 'absolute', steps };
}
