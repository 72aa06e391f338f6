import { ScaledObject, TriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { selects } from '../kubernetes-object.js';
import {
  containersOf,
  type DeploymentRules,
  deploymentsOf,
  objectsOf,
  othersOf,
  podOf,
  type RenderedChart,
  serviceContainer,
} from './deployment-rule.js';
import { environmentOf, textOf } from './environment-of.js';

/** By default Postgres has 100 connections and reserves 3 of them for superusers. */
const POSTGRES_CONNECTIONS = 97;

/** Connections of each replica of job-state besides its pool, and one of a hook. */
const QUEUE_CONNECTIONS = 5;
const HOOK_CONNECTIONS = 1;

/** The start-up probe does not require readiness: a pod that waits for a dependency is not restarted. */
const PROBES = { startupProbe: '/livez', livenessProbe: '/livez', readinessProbe: '/readyz' } as const;

interface Autoscaler {
  readonly title: string;
  readonly target: { readonly kind?: string; readonly name: string } | undefined;
  readonly min: number;
  readonly max: number;
}

function autoscalersOf(rendered: RenderedChart): readonly Autoscaler[] {
  return [
    ...objectsOf(rendered, HorizontalPodAutoscaler.is).map(({ metadata, spec }) => ({
      title: `HorizontalPodAutoscaler ${metadata.name}`,
      target: spec?.scaleTargetRef,
      min: spec?.minReplicas ?? 1,
      max: spec?.maxReplicas ?? 0,
    })),
    ...objectsOf(rendered, ScaledObject.is).map(({ metadata, spec }) => ({
      title: `ScaledObject ${metadata.name}`,
      target: spec.scaleTargetRef,
      min: spec.minReplicaCount ?? 0,
      max: spec.maxReplicaCount ?? 100,
    })),
  ];
}

/** Returns the number of additional pods during an upgrade. */
function surgePods(maxSurge: number | string, replicas: number): number {
  return typeof maxSurge === 'number'
    ? maxSurge
    : Math.ceil((Number.parseInt(maxSurge, 10) * replicas) / 100);
}

/** Rules about the start, end, move and scaling of a service's pods. */
export const LIFE_RULES: DeploymentRules = {
  *'a chart makes one deployment, with the container of its service'(rendered) {
    if (deploymentsOf(rendered).length !== 1) yield 'there is not exactly one Deployment';
    if (serviceContainer(rendered).command !== undefined) yield 'the command of the image is replaced';
  },
  *'all three probes use the admin port'(rendered) {
    const container = serviceContainer(rendered);
    const adminPort = textOf(environmentOf(container), 'ADMIN_PORT');
    if (container.ports?.find(({ name }) => name === 'admin')?.containerPort !== Number(adminPort))
      yield `the container's port admin is not ADMIN_PORT, ${adminPort ?? 'absent'}`;
    for (const name of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
      const { httpGet } = container[name] ?? {};
      if (httpGet?.port !== 'admin' || httpGet.path !== PROBES[name])
        yield `${name} does not request ${PROBES[name]} from the port admin`;
    }
  },
  *'a pod that ends is first removed from traffic, and has the time that its service needs to end'(rendered) {
    const [deployment] = deploymentsOf(rendered);
    const container = serviceContainer(rendered);
    const shutdownMs = Number(textOf(environmentOf(container), 'SHUTDOWN_GRACE_MS'));
    const sleep = container.lifecycle?.preStop?.sleep?.seconds ?? 0;
    const grace = (deployment && podOf(deployment).spec.terminationGracePeriodSeconds) ?? 30;
    if (sleep < 5 && !rendered.isDevelopment) yield `preStop sleeps ${sleep} s, not 5 s or more`;
    if (sleep === 0) yield 'there is no preStop sleep';
    if (!(grace * 1_000 >= sleep * 1_000 + shutdownMs))
      yield `terminationGracePeriodSeconds is ${grace}: preStop needs ${sleep} s and the service up to ${shutdownMs} ms`;
  },
  *'a new version replaces pods one by one, each only after another one is ready'(rendered) {
    for (const { spec } of deploymentsOf(rendered)) {
      const { maxUnavailable, maxSurge = 0 } = spec?.strategy?.rollingUpdate ?? {};
      if (Number(maxUnavailable) !== 0 || surgePods(maxSurge, 1) < 1)
        yield 'strategy is not maxUnavailable 0 with maxSurge';
    }
  },
  *'a crash loop fails the rollout within five minutes, and its pods show the reason'(rendered) {
    for (const { spec } of deploymentsOf(rendered)) {
      const seconds = spec?.progressDeadlineSeconds ?? 600;
      if (seconds > 300) yield `progressDeadlineSeconds is ${seconds}`;
    }
    for (const { title, container } of containersOf(rendered))
      if (container.terminationMessagePolicy !== 'FallbackToLogsOnError')
        yield `${title} does not show the last lines of its log`;
  },
  *'replicas are left to the autoscaler, or are at least two'(rendered) {
    const isScaled = autoscalersOf(rendered).length > 0;
    const least = rendered.isDevelopment ? 1 : 2;
    for (const { spec } of deploymentsOf(rendered)) {
      if (isScaled && spec?.replicas !== undefined) yield 'replicas is set despite an autoscaler';
      if (!isScaled && (spec?.replicas ?? 1) < least) yield `replicas is ${spec?.replicas ?? 'absent'}`;
    }
  },
  *'an autoscaler scales the deployment, with at least two replicas'(rendered) {
    const names = deploymentsOf(rendered).map(({ metadata }) => metadata.name);
    const autoscalers = autoscalersOf(rendered);
    const authentications = objectsOf(rendered, TriggerAuthentication.is).map(
      ({ metadata }) => metadata.name,
    );
    if (autoscalers.length > 1) yield 'there are several autoscalers';
    for (const { title, target, min, max } of autoscalers) {
      const { kind = 'Deployment', name = '' } = target ?? {};
      if (kind !== 'Deployment' || !names.includes(name))
        yield `${title} scales ${kind} ${name}, which the chart does not contain`;
      if (min < 2) yield `${title} goes down to ${min}`;
      if (max <= min) yield `${title} cannot scale: ${min} to ${max}`;
    }
    for (const { spec } of objectsOf(rendered, ScaledObject.is)) {
      if (spec.cooldownPeriod !== undefined) yield 'cooldownPeriod affects only the last replica';
      for (const { type, authenticationRef, useCachedMetrics } of spec.triggers) {
        if (authenticationRef === undefined || !authentications.includes(authenticationRef.name))
          yield `the trigger ${type} has no TriggerAuthentication of the chart`;
        if (spec.pollingInterval !== undefined && !useCachedMetrics)
          yield `pollingInterval has no effect, since the trigger ${type} has no useCachedMetrics`;
      }
    }
  },
  *'job-state, at its largest and during an upgrade, needs no more connections than Postgres has by default'(
    rendered,
  ) {
    const pool = textOf(environmentOf(serviceContainer(rendered)), 'POSTGRES_POOL_SIZE');
    if (pool === undefined) return;
    const replicas = Math.max(
      ...deploymentsOf(rendered).map(({ spec }) => spec?.replicas ?? 1),
      ...autoscalersOf(rendered).map(({ max }) => max),
    );
    const [surge = 1] = deploymentsOf(rendered).map(({ spec }) =>
      surgePods(spec?.strategy?.rollingUpdate?.maxSurge ?? 1, replicas),
    );
    const needed = (replicas + surge) * (Number(pool) + QUEUE_CONNECTIONS) + HOOK_CONNECTIONS;
    if (needed > POSTGRES_CONNECTIONS)
      yield `${replicas} replicas with pools of ${pool} need ${needed} connections, and there are ${POSTGRES_CONNECTIONS}`;
  },
  *'a disruption budget covers only the pods of the service, and allows the eviction of one'(rendered) {
    const budgets = objectsOf(rendered, PodDisruptionBudget.is);
    if (budgets.length !== 1 && !rendered.isDevelopment) yield 'there is not exactly one PodDisruptionBudget';
    for (const { spec: { selector = {}, maxUnavailable, minAvailable } = {} } of budgets) {
      for (const { labels } of deploymentsOf(rendered).map(podOf))
        if (!selects(selector, labels))
          yield 'the PodDisruptionBudget does not select the pods of the Deployment';
      for (const { title, labels } of othersOf(rendered))
        if (selects(selector, labels)) yield `the PodDisruptionBudget selects the pods of ${title}`;
      if (maxUnavailable !== 1 || minAvailable !== undefined)
        yield 'the PodDisruptionBudget does not set maxUnavailable 1';
    }
  },
  *'pods are spread over zones and nodes'(rendered) {
    for (const { labels, spec } of deploymentsOf(rendered).map(podOf)) {
      const spreads = (spec.topologySpreadConstraints ?? []).filter(
        ({ labelSelector = {} }) =>
          Object.keys(labelSelector.matchLabels ?? {}).length > 0 && selects(labelSelector, labels),
      );
      for (const key of ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'])
        if (!spreads.some(({ topologyKey }) => topologyKey === key))
          yield `no constraint spreads the pods over ${key}`;
    }
  },
};
