import { describe, expect, test } from '@jest/globals';
import { declaredLabels } from './declared-labels.js';
import { exposedMetrics, expressionViolations } from './exposed-metrics.js';
import { usedMetrics } from './used-metrics.js';

const EXPOSED = exposedMetrics([
  '# HELP a_total Things.\n# TYPE a_total counter\na_total{kind="x, \\"y\\"",partner_service="one"} 3\n',
  '# TYPE b_seconds histogram\nb_seconds_bucket{le="1"} 0\nb_seconds_sum 0\nb_seconds_count 0\n# TYPE c gauge\n',
]);
const faultsOf = (text: string) => expressionViolations([{ source: 'here', text }], EXPOSED);

describe('expressions of alerts and dashboards', () => {
  test.each([
    'rate(a_total{kind="x"}[$__rate_interval])',
    'histogram_quantile(0.9, sum by (le, pod) (rate(b_seconds_bucket[5m])))',
    'sum by (kind, partner_service) (a_total{namespace="$namespace"})',
    'c > 1 and on (pod) kube_pod_info{node="a"}',
    'absent(c)',
    'sum by (queue) (rabbitmq_queue_messages{queue=~".*dead"})',
  ])('%s uses exposed metrics only', (text) => {
    expect(faultsOf(text)).toEqual([]);
  });

  test.each([
    ['rate(d_total[5m])', 'here: no service exposes d_total'],
    ['b_seconds', 'here: no service exposes b_seconds'],
    ['a_total{color="red"}', 'here: a_total has no label color'],
    ['c{kind="x"}', 'here: whether c has a label kind was not seen: it has no series'],
    ['sum by (color) (a_total)', 'here: none of its metrics has a label color: sum by (color) (a_total)'],
    ['{__name__=~"a.*"}', 'here: no service exposes {__name__=~"a.*"}'],
    ['sum(a_total', 'here: not PromQL: sum(a_total'],
  ])('%s does not', (text, fault) => {
    expect(faultsOf(text)).toEqual([fault]);
  });

  test('may use the declared labels of a metric without series', () => {
    const exposed = exposedMetrics(['# TYPE c gauge\n'], new Map([['c', ['kind']]]));
    expect(expressionViolations([{ source: 'here', text: 'sum by (kind) (c{kind="x"})' }], exposed)).toEqual(
      [],
    );
  });

  test('find the labels of a metric of failures at its declaration', () => {
    expect(declaredLabels().get('partner_publish_failures_total')).toEqual([
      'partner_service',
      'exchange',
      'kind',
    ]);
  });

  test('are read with all their metrics and labels', () => {
    expect(
      usedMetrics(
        'sum by (le) (rate(x_bucket{a="1", b!~"$c"}[${__range}])) / ignoring (d) group_left (e) y offset 5m',
      ),
    ).toEqual({
      metrics: [
        { name: 'x_bucket', labels: ['a', 'b'] },
        { name: 'y', labels: [] },
      ],
      groupings: ['le', 'd', 'e'],
      isReadable: true,
    });
  });
});
