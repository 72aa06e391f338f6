import { expect, test } from '@jest/globals';
import { SERVICE_NAMES, type ServiceName } from '@partner/local-stack/stack/services';
import { type ChartChange, createChartWorkspace } from './chart-workspace.js';
import { ensureHelm } from './ensure-helm.js';
import { readRefusedRanges } from './read-refused-ranges.js';
import { allRules } from './rules/all-rules.js';
import { VALUES_SETS } from './service-values.js';
import { validateObjects } from './validate-objects.js';

const RULES = allRules(await readRefusedRanges());

const inChart = (file: string, replace: string | RegExp, by: string): ChartChange => ({ file, replace, by });
const common = (file: string, replace: string | RegExp, by: string) =>
  inChart(`service-common/templates/_${file}.tpl`, replace, by);

/**
 * By the beginning of a rule's name: a change that breaks the rule, what the rule reports, and the service whose chart shows it,
 * by default that of the changed file, else the console.
 */
const BREACHES: Readonly<Record<string, readonly [ChartChange, RegExp, ServiceName?]>> = {
  'every object': [common('names', 'app.kubernetes.io/part-of: ', 'part-of: '), /has no label .*part-of/],
  'every pod is': [common('pod', 'allowPrivilegeEscalation: false', ''), /allowPrivilegeEscalation/],
  'no container can': [
    common('pod', 'readOnlyRootFilesystem: {{ .Values.readOnlyRootFilesystem }}', ''),
    /readOnlyRootFilesystem/,
  ],
  'no pod gets a token': [common('pod', 'automountServiceAccountToken: false', ''), /automount/],
  'every container has': [common('pod', '{{- toYaml .resources | nindent 2 }}', ' {}'), /no limit of memory/],
  "Node's heap": [common('environment', '.percent) 100', '.percent) 70'), /leaves less than 15 %/],
  'every image': [
    common('names', '{{ default "latest" .tag }}{{ with .digest }}@{{ . }}{{ end }}', 'latest'),
    /names no version/,
  ],
  'a chart makes one': [
    common('deployment', '          ports:', '          command: [sh]\n          ports:'),
    /command/,
  ],
  'all three probes': [
    common('deployment', /(livenessProbe:\s+httpGet:\s+path: )\/livez/, '$1/readyz'),
    /livenessProbe/,
  ],
  'a pod that ends': [
    common('deployment', 'seconds: {{ .Values.preStopSleepSeconds }}', 'seconds: 30'),
    /terminationGracePeriodSeconds is 4\d/,
  ],
  'a new version': [common('deployment', 'maxUnavailable: 0', 'maxUnavailable: 1'), /strategy/],
  'a crash loop': [
    common('deployment', '{{ .Values.progressDeadlineSeconds }}', '900'),
    /progressDeadlineSeconds is 900/,
  ],
  'replicas are left': [
    common('deployment', '{{- if not .Values.autoscaling.enabled }}', '{{- if true }}'),
    /despite an autoscaler/,
  ],
  'an autoscaler': [
    common('autoscaling', 'name: {{ include "service-common.fullname" $ }}', 'name: other'),
    /does not contain/,
  ],
  'job-state, at its largest': [
    inChart('job-state/values-production.yaml', 'maxReplicas: 5', 'maxReplicas: 6'),
    /6 replicas with pools of 10 need 106 connections, and there are 97/,
  ],
  'a disruption budget': [
    common(
      'pod-disruption-budget',
      '{{- include "service-common.selectorLabels" $part | nindent 6 }}',
      'app: other',
    ),
    /does not select/,
  ],
  'pods are spread': [
    common('pod', 'topologyKey: kubernetes.io/hostname', 'topologyKey: topology.kubernetes.io/region'),
    /hostname/,
  ],
  'secrets come from': [common('environment', '{{- if .optional }}', '{{- if true }}'), /is not there/],
  'no secret is': [
    common('pod', '- name: NODE_OPTIONS', '- name: OTHER\n  value: postgres://a:b@c\n- name: NODE_OPTIONS'),
    /plain text/,
  ],
  'settings are': [
    common(
      'deployment',
      '          env:\n',
      '          envFrom: [{ configMapRef: { name: own } }]\n          env:\n',
    ),
    /reads a whole ConfigMap/,
  ],
  'a Service leads': [common('service', 'targetPort: http', 'targetPort: web'), /none of the container's/],
  'a service that serves': [
    common('deployment', 'containerPort: {{ .Values.config.httpPort }}', 'containerPort: 8090'),
    /HTTP_PORT/,
  ],
  'the public address': [
    inChart('console/templates/_facts.tpl', '[/partner-api, ', '[/partner, '),
    /leads \/partner,/,
  ],
  'a route names': [
    inChart('console/values-production.yaml', '      sectionName: https\n', ''),
    /every listener of public/,
  ],
  'sessions and counters': [common('environment', '"partner-sandbox:"', '"partner:"'), /partner: in sandbox/],
  'a stream lasts': [
    common(
      'routes',
      '{{- toYaml . | nindent 8 }}\n      {{- end }}\n      {{- with .sessionPersistence }}',
      ' { request: 15s }\n      {{- end }}\n      {{- with .sessionPersistence }}',
    ),
    /ends a stream of 10 minutes after 15s/,
  ],
  'metrics are scraped': [common('monitoring', '- port: admin', '- port: http'), /asks http/],
  'no pod may': [
    common('network-policy', /policyTypes: \[Ingress, Egress\]/g, 'policyTypes: [Ingress]'),
    /Egress/,
  ],
  'a policy denies': [
    common('network-policy', '{{- include "service-common.releaseLabels" . | nindent 6 }}', 'app: other'),
    /denies everything/,
  ],
  'callers are let in': [
    common('network-policy', 'port: {{ .Values.config.adminPort }}', 'port: 22'),
    /opens ports/,
  ],
  'a service reaches': [
    inChart('console/templates/_facts.tpl', 'egress: [broker, redis, mail]', 'egress: [broker]'),
    /no policy lets console reach Redis/,
  ],
  'of the internet': [
    inChart('webhook-dispatcher/templates/_facts.tpl', '          - 10.0.0.0/8\n', ''),
    /does not except 10\.0\.0\.0\/8/,
  ],
  'job-state brings': [
    inChart('job-state/templates/migrate-job.yaml', 'pre-install,pre-upgrade', 'post-install'),
    /not a hook before/,
  ],
  'every Job is': [
    common('hook-job', 'activeDeadlineSeconds: {{ .job.activeDeadlineSeconds }}', ''),
    /no deadline/,
    'job-state',
  ],
  'a hook needs': [
    common(
      'hook-job',
      'serviceAccountName: default',
      'serviceAccountName: {{ include "service-common.serviceAccountName" $root }}',
    ),
    /needs ServiceAccount/,
    'job-state',
  ],
  'replicas are counted': [
    common('autoscaling', 'queueName: {{ .queue }}', 'queueName: {{ .queue }}-old'),
    /there is no queue/,
    'job-state',
  ],
  'KEDA checks': [
    common('autoscaling', /- parameter: tls\s+name: .*\s+key: tls/, ''),
    /ignores ca without tls/,
    'job-state',
  ],
  'an alert is about': [
    common('monitoring', '(printf "namespace=%q" $.Release.Namespace)', '`namespace!=""`'),
    /PartnerServiceDown counts other namespaces/,
  ],
  'a dashboard is about': [
    inChart('console/dashboards/console.json', 'namespace=~\\"$namespace\\",', ''),
    /every namespace is shown/,
  ],
};

const helm = await ensureHelm();

/** Renders a changed chart with the values that enable everything, with those of production, and with none. */
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

test.each(RULES.map((rule) => [rule.name, rule] as const))(
  '"%s" reports a breach',
  async (name, { faults }) => {
    const [, breach] = Object.entries(BREACHES).find(([beginning]) => name.startsWith(beginning)) ?? [];
    if (breach === undefined) throw new Error('BREACHES has no chart that breaks this rule');
    const [change, fault, given] = breach;
    const service = given ?? SERVICE_NAMES.find((each) => change.file.startsWith(`${each}/`)) ?? 'console';
    const found: string[] = [];
    for await (const objects of objectsOf(service, change)) {
      found.push(...faults({ service, isDevelopment: false, objects }));
      if (found.some((text) => fault.test(text))) break;
    }
    expect(found).toContainEqual(expect.stringMatching(fault));
  },
);

test.each([
  [
    'a field that Kubernetes does not have',
    common('deployment', 'revisionHistoryLimit:', 'revisionHistory:'),
    /revisionHistory/,
  ],
  ['a value that it refuses', common('service', /targetPort: admin/, 'targetPort: [admin]'), /targetPort/],
  [
    'a kind that was removed',
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
