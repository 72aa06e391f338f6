import { beforeAll, expect, test } from '@jest/globals';
import type { ServiceName } from '@partner/local-stack/stack/services';
import { type ChartChange, createChartWorkspace } from './chart-workspace.js';
import { ensureHelm } from './ensure-helm.js';
import { readRefusedRanges } from './read-refused-ranges.js';
import { allRules } from './rules/all-rules.js';
import { VALUES_SETS } from './service-values.js';
import { validateObjects } from './validate-objects.js';

const RULES = allRules(await readRefusedRanges());

const common = (file: string, replace: string | RegExp, by: string): ChartChange => ({
  file: `service-common/templates/_${file}.tpl`,
  replace,
  by,
});

/** What a rule is about (the beginning of its name), a chart that breaks it, and what the rule says of it. */
const BREACHES: readonly (readonly [string, ServiceName, ChartChange, RegExp])[] = [
  [
    'every object',
    'console',
    common('names', 'app.kubernetes.io/part-of: ', 'part-of: '),
    /has no label .*part-of/,
  ],
  [
    'every pod is',
    'console',
    common('pod', 'allowPrivilegeEscalation: false', ''),
    /allowPrivilegeEscalation/,
  ],
  [
    'no container can',
    'console',
    common('pod', 'readOnlyRootFilesystem: {{ .Values.readOnlyRootFilesystem }}', ''),
    /readOnlyRootFilesystem/,
  ],
  ['no pod gets a token', 'console', common('pod', 'automountServiceAccountToken: false', ''), /automount/],
  [
    'every container has',
    'console',
    common('pod', '{{- toYaml .resources | nindent 2 }}', ' {}'),
    /no limit of memory/,
  ],
  ["Node's heap", 'console', common('environment', '.percent) 100', '.percent) 70'), /leaves less than 15 %/],
  [
    'every image',
    'console',
    common('names', '{{ default "latest" .tag }}{{ with .digest }}@{{ . }}{{ end }}', 'latest'),
    /names no version/,
  ],
  [
    'a chart makes one',
    'console',
    common('deployment', '          ports:', '          command: [sh]\n          ports:'),
    /command/,
  ],
  [
    'all three probes',
    'console',
    common('deployment', /(livenessProbe:\s+httpGet:\s+path: )\/livez/, '$1/readyz'),
    /livenessProbe/,
  ],
  [
    'a pod that ends',
    'console',
    common('deployment', 'seconds: {{ .Values.preStopSleepSeconds }}', 'seconds: 30'),
    /terminationGracePeriodSeconds is 4\d/,
  ],
  ['a new version', 'console', common('deployment', 'maxUnavailable: 0', 'maxUnavailable: 1'), /strategy/],
  [
    'a crash loop',
    'console',
    common('deployment', '{{ .Values.progressDeadlineSeconds }}', '900'),
    /progressDeadlineSeconds is 900/,
  ],
  [
    'replicas are left',
    'console',
    common('deployment', '{{- if not .Values.autoscaling.enabled }}', '{{- if true }}'),
    /beside an autoscaler/,
  ],
  [
    'an autoscaler',
    'console',
    common('autoscaling', 'name: {{ include "service-common.fullname" $ }}', 'name: other'),
    /does not make/,
  ],
  [
    'job-state, at its largest',
    'job-state',
    { file: 'job-state/values-production.yaml', replace: 'maxReplicas: 5', by: 'maxReplicas: 6' },
    /6 replicas with pools of 10 need 106 connections, and there are 97/,
  ],
  [
    'a disruption budget',
    'console',
    common(
      'pod-disruption-budget',
      '{{- include "service-common.selectorLabels" $part | nindent 6 }}',
      'app: other',
    ),
    /does not select/,
  ],
  [
    'pods are spread',
    'console',
    common('pod', 'topologyKey: kubernetes.io/hostname', 'topologyKey: topology.kubernetes.io/region'),
    /hostname/,
  ],
  [
    'secrets come from',
    'console',
    common('environment', '{{- if .optional }}', '{{- if true }}'),
    /is not there/,
  ],
  [
    'no secret stands',
    'console',
    common('pod', '- name: NODE_OPTIONS', '- name: OTHER\n  value: postgres://a:b@c\n- name: NODE_OPTIONS'),
    /plain text/,
  ],
  [
    'settings stand',
    'console',
    common(
      'deployment',
      '          env:\n',
      '          envFrom: [{ configMapRef: { name: own } }]\n          env:\n',
    ),
    /reads a whole ConfigMap/,
  ],
  [
    'a Service leads',
    'console',
    common('service', 'targetPort: http', 'targetPort: web'),
    /none of the container's/,
  ],
  [
    'a service that serves',
    'console',
    common('deployment', 'containerPort: {{ .Values.config.httpPort }}', 'containerPort: 8090'),
    /HTTP_PORT/,
  ],
  [
    'the public address',
    'console',
    { file: 'console/templates/_facts.tpl', replace: '[/partner-api, ', by: '[/partner, ' },
    /leads \/partner,/,
  ],
  [
    'a route names',
    'console',
    { file: 'console/values-production.yaml', replace: '      sectionName: https\n', by: '' },
    /every listener of public/,
  ],
  [
    'sessions and counters',
    'console',
    common('environment', '"partner-sandbox:"', '"partner:"'),
    /partner: in sandbox/,
  ],
  [
    'a stream lasts',
    'console',
    common(
      'routes',
      '{{- toYaml . | nindent 8 }}\n      {{- end }}\n      {{- with .sessionPersistence }}',
      ' { request: 15s }\n      {{- end }}\n      {{- with .sessionPersistence }}',
    ),
    /ends a stream of 10 minutes after 15s/,
  ],
  ['metrics are taken', 'console', common('monitoring', '- port: admin', '- port: http'), /asks http/],
  [
    'no pod may',
    'console',
    common('network-policy', /policyTypes: \[Ingress, Egress\]/g, 'policyTypes: [Ingress]'),
    /Egress/,
  ],
  [
    'a policy denies',
    'console',
    common('network-policy', '{{- include "service-common.releaseLabels" . | nindent 6 }}', 'app: other'),
    /denies everything/,
  ],
  [
    'callers are let in',
    'console',
    common('network-policy', 'port: {{ .Values.config.adminPort }}', 'port: 22'),
    /opens ports/,
  ],
  [
    'a service reaches',
    'console',
    {
      file: 'console/templates/_facts.tpl',
      replace: 'egress: [broker, redis, mail]',
      by: 'egress: [broker]',
    },
    /nothing lets console reach Redis/,
  ],
  [
    'of the internet',
    'webhook-dispatcher',
    {
      file: 'webhook-dispatcher/templates/_facts.tpl',
      replace: '          - 10.0.0.0/8\n',
      by: '',
    },
    /does not except 10\.0\.0\.0\/8/,
  ],
  [
    'job-state brings',
    'job-state',
    { file: 'job-state/templates/migrate-job.yaml', replace: 'pre-install,pre-upgrade', by: 'post-install' },
    /not a hook before/,
  ],
  [
    'every Job is',
    'job-state',
    common('hook-job', 'activeDeadlineSeconds: {{ .job.activeDeadlineSeconds }}', ''),
    /no deadline/,
  ],
  [
    'a hook needs',
    'job-state',
    common(
      'hook-job',
      'serviceAccountName: default',
      'serviceAccountName: {{ include "service-common.serviceAccountName" $root }}',
    ),
    /needs ServiceAccount/,
  ],
  [
    'replicas are counted',
    'job-state',
    common('autoscaling', 'queueName: {{ .queue }}', 'queueName: {{ .queue }}-old'),
    /there is no queue/,
  ],
  [
    'KEDA checks',
    'job-state',
    common('autoscaling', /- parameter: tls\s+name: .*\s+key: tls/, ''),
    /leaves ca aside without tls/,
  ],
  [
    'an alert is about',
    'console',
    common('monitoring', '(printf "namespace=%q" $.Release.Namespace)', '`namespace!=""`'),
    /PartnerServiceDown counts other namespaces/,
  ],
  [
    'a dashboard is about',
    'console',
    { file: 'console/dashboards/console.json', replace: 'namespace=~\\"$namespace\\",', by: '' },
    /every namespace is shown/,
  ],
];

let helm: string;

beforeAll(async () => {
  helm = await ensureHelm();
});

/** What a changed chart makes of the values that switch everything on, of those for production, and of none. */
async function* objectsOf(service: ServiceName, change: ChartChange) {
  const workspace = await createChartWorkspace(helm, { changes: [change], only: service });
  try {
    for (const wanted of ['everything', 'production', 'default']) {
      const set = VALUES_SETS.find(({ service: of, name }) => of === service && name === wanted);
      if (set !== undefined) yield await workspace.objects(set.rendering);
    }
  } finally {
    workspace.remove();
  }
}

test.each(BREACHES)('the rule "%s ..." sees what it forbids', async (rule, service, change, fault) => {
  const { faults } = RULES.find(({ name }) => name.startsWith(rule)) ?? { faults: () => [] };
  const found: string[] = [];
  for await (const objects of objectsOf(service, change)) {
    found.push(...faults({ service, isDevelopment: false, objects }));
    if (found.some((text) => fault.test(text))) break;
  }
  expect(found).toContainEqual(expect.stringMatching(fault));
});

test('every rule has been seen to find something', () => {
  const unseen = RULES.filter(({ name }) => !BREACHES.some(([rule]) => name.startsWith(rule)));
  expect(unseen.map(({ name }) => name)).toEqual([]);
});

test.each([
  [
    'a field that Kubernetes does not know',
    common('deployment', 'revisionHistoryLimit:', 'revisionHistory:'),
    /revisionHistory/,
  ],
  ['a value that it refuses', common('service', /targetPort: admin/, 'targetPort: [admin]'), /targetPort/],
  [
    'a kind that is gone',
    common('pod-disruption-budget', 'policy/v1', 'policy/v1beta1'),
    /policy\/v1beta1 has no kind/,
  ],
])('%s is seen', async (_what, change, fault) => {
  const found: string[] = [];
  for await (const objects of objectsOf('console', change)) {
    found.push(...validateObjects(objects.map((object) => ({ source: 'console', object }))));
  }
  expect(found).toContainEqual(expect.stringMatching(fault));
});
