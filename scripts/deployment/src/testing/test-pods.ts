import { ScaledObject, TriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import { expect, test } from '@jest/globals';
import { QUEUES } from '@partner/proto-contracts/topology';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Job } from 'kubernetes-models/batch/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Secret, ServiceAccount } from 'kubernetes-models/v1';
import {
  containersOf,
  deploymentOf,
  environmentOf,
  isHook,
  objectsOf,
  podOf,
  podsOf,
  type RenderedObjects,
  textOf,
  type RenderedService,
  selects,
} from '../chart-objects.js';
import { NAMESPACE } from '../chart-workspace.js';
import { PROGRAM_NAMES, settingsOf } from '../values/declared-settings.js';

const CONTAINER_SECURITY = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};
const VOLUMES = ['configMap', 'emptyDir', 'persistentVolumeClaim', 'projected', 'secret'];
const PINNED = /(:(?!latest$)\w[\w.-]*|@sha256:[0-9a-f]{64})$/;

const mebibytes = (quantity: string | number | undefined) => {
  const [, digits = '', unit = ''] = /^([\d.]+)(Mi|Gi)$/.exec(String(quantity)) ?? [];
  return Number(digits) * (unit === 'Gi' ? 1_024 : 1);
};

const SECRETS = PROGRAM_NAMES.flatMap((program) =>
  settingsOf(program).settings.filter(({ schema }) => schema.isSecret === true),
);
/** `name:password@` of a URL, or a pair of a key's id and 32 bytes in base64. */
const SECRET_TEXT = /:\/\/[^/\s:@]*:[^/\s@]+@|[A-Za-z0-9+/]{43}=/;

/** By default Postgres has 100 connections and reserves 3 of them for superusers. */
const POSTGRES_CONNECTIONS = 97;

export function testObjects(rendered: RenderedObjects): void {
  test('name their release, are in its namespace, and are unique', () => {
    const titles = rendered.objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect([...new Set(titles)]).toEqual(titles);
    const labels = ['name', 'instance', 'managed-by', 'part-of'].map((label) => `app.kubernetes.io/${label}`);
    for (const { metadata } of rendered.objects) {
      expect(metadata.namespace).toBe(NAMESPACE);
      expect(Object.keys(metadata.labels)).toEqual(expect.arrayContaining(labels));
      expect(metadata.name.length).toBeLessThanOrEqual(63);
    }
  });

  test('are restricted by the Pod Security Standard, and get no token', () => {
    for (const { spec } of podsOf(rendered)) {
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(spec.securityContext?.runAsUser).toBeGreaterThan(0);
      for (const name of ['hostNetwork', 'hostPID', 'hostIPC']) expect(spec).not.toHaveProperty(name);
      for (const { name: _, ...kinds } of spec.volumes ?? [])
        expect(VOLUMES).toEqual(expect.arrayContaining(Object.keys(kinds)));
    }
    for (const account of objectsOf(rendered, ServiceAccount.is))
      expect(account.automountServiceAccountToken).toBe(false);
  });

  test('have secure containers, each with requests, a memory limit and a pinned image', () => {
    for (const { title, container } of containersOf(rendered)) {
      const { runAsNonRoot = true, ...security } = container.securityContext ?? {};
      expect([title, runAsNonRoot, security]).toEqual([title, true, CONTAINER_SECURITY]);
      expect(container.resources).toMatchObject({
        requests: { cpu: expect.anything(), memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      });
      expect(container.image).toMatch(PINNED);
    }
  });
}

export function testPods(rendered: RenderedService): void {
  const { deployment, pod, container } = deploymentOf(rendered);
  const { isDevelopment } = rendered;
  const autoscalers = [
    ...objectsOf(rendered, HorizontalPodAutoscaler.is).map(({ spec }) => ({
      target: spec?.scaleTargetRef.name,
      min: spec?.minReplicas ?? 1,
      max: spec?.maxReplicas ?? 0,
    })),
    ...objectsOf(rendered, ScaledObject.is).map(({ spec }) => ({
      target: spec.scaleTargetRef.name,
      min: spec.minReplicaCount ?? 0,
      max: spec.maxReplicaCount ?? 100,
    })),
  ];
  const others = podsOf(rendered).filter(({ title }) => title !== pod.title);

  test('run the command of the image, with a heap that fits into the limit', () => {
    expect(container.command).toBeUndefined();
    for (const each of containersOf(rendered).filter(
      ({ container: { name } }) => name === rendered.service,
    )) {
      const [, heap = ''] =
        /--max-old-space-size=(\d+)/.exec(textOf(each.container, 'NODE_OPTIONS') ?? '') ?? [];
      expect(Number(heap)).toBeGreaterThan(0);
      const limit = mebibytes(each.container.resources?.limits?.['memory']);
      expect(Number(heap)).toBeLessThanOrEqual(0.85 * limit);
    }
  });

  test('are probed at the admin port; one that waits for a dependency is not restarted', () => {
    const admin = container.ports?.find(({ name }) => name === 'admin');
    expect(String(admin?.containerPort)).toBe(textOf(container, 'ADMIN_PORT'));
    const alive = { httpGet: { port: 'admin', path: '/livez' } };
    expect(container).toMatchObject({
      startupProbe: alive,
      livenessProbe: alive,
      readinessProbe: { httpGet: { port: 'admin', path: '/readyz' } },
    });
  });

  test('are removed from traffic before they end, and have the time that the service needs', () => {
    const sleep = container.lifecycle?.preStop?.sleep?.seconds ?? 0;
    expect(sleep).toBeGreaterThanOrEqual(isDevelopment ? 1 : 5);
    const grace = pod.spec.terminationGracePeriodSeconds ?? 30;
    expect(grace * 1_000).toBeGreaterThanOrEqual(
      sleep * 1_000 + Number(textOf(container, 'SHUTDOWN_GRACE_MS')),
    );
  });

  test('are replaced one by one, each after another is ready; a crash loop fails the rollout and shows why', () => {
    const { maxUnavailable, maxSurge = 0 } = deployment.spec?.strategy?.rollingUpdate ?? {};
    expect(maxUnavailable).toBe(0);
    expect(Number.parseInt(String(maxSurge), 10)).toBeGreaterThanOrEqual(1);
    expect(deployment.spec?.progressDeadlineSeconds).toBeLessThanOrEqual(300);
    for (const each of containersOf(rendered))
      expect(each.container.terminationMessagePolicy).toBe('FallbackToLogsOnError');
  });

  test('are at least two, or as many as one autoscaler says', () => {
    const replicas = deployment.spec?.replicas;
    const isEnough = (replicas ?? 0) >= (isDevelopment ? 1 : 2);
    expect([replicas === undefined, autoscalers.length]).toEqual(isEnough ? [false, 0] : [true, 1]);
    for (const { target, min, max } of autoscalers) {
      expect(target).toBe(deployment.metadata.name);
      expect(min).toBeGreaterThanOrEqual(2);
      expect(max).toBeGreaterThan(min);
    }
  });

  test('are counted by queues that exist, unacknowledged messages included, over a checked connection', () => {
    const authentications = objectsOf(rendered, TriggerAuthentication.is);
    for (const { spec } of objectsOf(rendered, ScaledObject.is)) {
      // It would affect only the last replica.
      expect(spec.cooldownPeriod).toBeUndefined();
      for (const { type, metadata, authenticationRef, useCachedMetrics } of spec.triggers) {
        expect(authentications.map((each) => each.metadata.name)).toContain(authenticationRef?.name);
        // Without it pollingInterval has no effect.
        expect(spec.pollingInterval === undefined || useCachedMetrics === true).toBe(true);
        expect(metadata).not.toHaveProperty('unsafeSsl');
        if (type !== 'rabbitmq') continue;
        expect(QUEUES.map(({ name }) => name)).toContain(metadata.queueName);
        // Over AMQP the broker does not count unacknowledged messages. The host has a password.
        expect(metadata.protocol).toBe('http');
        expect(metadata).not.toHaveProperty('host');
      }
    }
    for (const { spec } of authentications) {
      const parameters = (spec.secretTargetRef ?? []).map(({ parameter }) => parameter);
      // KEDA ignores ca without tls.
      expect(parameters.includes('tls')).toBe(parameters.includes('tls') || parameters.includes('ca'));
    }
  });

  test('need no more connections than Postgres has by default, at their most and during an upgrade', () => {
    const pool = textOf(container, 'POSTGRES_POOL_SIZE');
    if (pool === undefined) return;
    const most = Math.max(deployment.spec?.replicas ?? 1, ...autoscalers.map(({ max }) => max));
    const surge = Number(deployment.spec?.strategy?.rollingUpdate?.maxSurge);
    // Each replica has 5 besides its pool, and the migration one.
    expect((most + surge) * (Number(pool) + 5) + 1).toBeLessThanOrEqual(POSTGRES_CONNECTIONS);
  });

  test('are evicted one at a time, and spread over zones and nodes', () => {
    const budgets = objectsOf(rendered, PodDisruptionBudget.is);
    expect(budgets.length).toBeGreaterThanOrEqual(isDevelopment ? 0 : 1);
    for (const { spec: { selector = {}, ...spec } = {} } of budgets) {
      expect(spec).toEqual({ maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' });
      expect(selects(selector, pod.labels)).toBe(true);
      expect(others.filter(({ labels }) => selects(selector, labels))).toEqual([]);
    }
    const spreads = (pod.spec.topologySpreadConstraints ?? []).filter(
      ({ labelSelector = {} }) =>
        labelSelector.matchLabels !== undefined && selects(labelSelector, pod.labels),
    );
    expect(spreads.map(({ topologyKey }) => topologyKey).sort()).toEqual([
      'kubernetes.io/hostname',
      'topology.kubernetes.io/zone',
    ]);
  });

  test('read secrets from existing Kubernetes secrets, and other settings from the template alone', () => {
    expect(objectsOf(rendered, Secret.is)).toEqual([]);
    for (const { title, container: each } of containersOf(rendered)) {
      expect(each.envFrom).toBeUndefined();
      for (const { valueFrom = {} } of each.env ?? [])
        expect(['secretKeyRef']).toEqual(expect.arrayContaining(Object.keys(valueFrom)));
      for (const [name, source] of environmentOf(each)) {
        const secrets = SECRETS.filter((secret) => secret.name === name);
        const where = `${title}: ${name}`;
        const isFromSecret = source.from === 'secret';
        // A release works with an older secret that lacks an optional key.
        const isOptional = secrets.some(({ isRequired }) => !isRequired);
        expect([where, isFromSecret || secrets.length === 0]).toEqual([where, true]);
        expect([where, isFromSecret && source.optional]).toEqual([where, isFromSecret && isOptional]);
        expect([where, !isFromSecret && SECRET_TEXT.test(source.value)]).toEqual([where, false]);
      }
    }
  });

  test('keep sessions and counters of the sandbox apart from those of production', () => {
    const prefix = textOf(container, 'REDIS_KEY_PREFIX');
    if (isDevelopment || prefix === undefined) return;
    expect(prefix === 'partner:').toBe(textOf(container, 'PARTNER_ENVIRONMENT') === 'production');
  });

  test('start after the database is migrated; every Job is a hook that needs nothing of the release', () => {
    const jobs = objectsOf(rendered, Job.is);
    const migrations = jobs.filter((job) =>
      podOf(job).spec.containers.some(({ args = [] }) => args.includes('dist/migrate.js')),
    );
    expect(migrations.map(({ metadata }) => metadata.annotations['helm.sh/hook'])).toEqual(
      rendered.service === 'job-state' ? ['pre-install,pre-upgrade'] : [],
    );
    const later = rendered.objects.filter((object) => !isHook(object));
    for (const job of jobs) {
      const { spec, labels } = podOf(job);
      const hook = job.metadata.annotations['helm.sh/hook'];
      expect(hook).toBeDefined();
      expect(job.metadata.annotations['helm.sh/hook-delete-policy']).toContain('before-hook-creation');
      expect(job.spec?.activeDeadlineSeconds).toBeGreaterThanOrEqual(60);
      expect(job.spec?.activeDeadlineSeconds).toBeLessThanOrEqual(3_600);
      expect(job.spec?.ttlSecondsAfterFinished).toBeLessThanOrEqual(604_800);
      expect(job.spec?.backoffLimit).toBeLessThanOrEqual(6);
      expect(['Never', 'OnFailure']).toContain(spec.restartPolicy);
      const policies = objectsOf(rendered, NetworkPolicy.is).filter(
        (policy) => (policy.spec?.egress ?? []).length > 0 && selects(policy.spec?.podSelector ?? {}, labels),
      );
      expect(policies.length).toBeGreaterThan(0);
      if (hook?.startsWith('pre-') !== true) continue;
      const accounts = later.filter(({ kind }) => kind === 'ServiceAccount');
      expect(accounts.map(({ metadata }) => metadata.name)).not.toContain(spec.serviceAccountName);
      expect(policies.some(isHook)).toBe(true);
    }
  });
}
