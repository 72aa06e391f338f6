import { ScaledObject, TriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { z } from 'zod';
import { selects } from '../kubernetes-object.js';
import {
  containersOf,
  type DeploymentRule,
  deploymentsOf,
  objectsOf,
  othersOf,
  podOf,
  type RenderedChart,
  serviceContainer,
  when,
} from './deployment-rule.js';
import { environmentOf, textOf } from './environment-of.js';

/** By default Postgres has 100 connections and reserves 3 of them for superusers. */
const POSTGRES_CONNECTIONS = 97;

/** Connections of each replica of job-state besides its pool, and one of a hook. */
const QUEUE_CONNECTIONS = 5;
const HOOK_CONNECTIONS = 1;

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
export const LIFE_RULES: readonly DeploymentRule[] = [
  {
    name: 'a chart makes one deployment, with the container of its service',
    violations: (rendered) =>
      when({
        'there is not exactly one Deployment': deploymentsOf(rendered).length !== 1,
        'the command of the image is replaced': serviceContainer(rendered).command !== undefined,
      }),
  },
  {
    name: 'all three probes use the admin port',
    violations: (rendered) => {
      const container = serviceContainer(rendered);
      const adminPort = textOf(environmentOf(container), 'ADMIN_PORT');
      return [
        ...when({
          [`the container's port admin is not ADMIN_PORT, ${adminPort ?? 'absent'}`]:
            container.ports?.find(({ name }) => name === 'admin')?.containerPort !== Number(adminPort),
        }),
        ...[
          // The start-up probe does not require readiness: a pod that waits for a dependency is not restarted.
          ['startupProbe', /^\/livez$/],
          ['livenessProbe', /^\/livez$/],
          ['readinessProbe', /^\/readyz$/],
        ].flatMap(([name, path]) => {
          const { httpGet } =
            container[z.enum(['startupProbe', 'livenessProbe', 'readinessProbe']).parse(name)] ?? {};
          return when({
            [`${String(name)} does not request ${String(path)} from the port admin`]:
              httpGet?.port !== 'admin' ||
              !z
                .instanceof(RegExp)
                .parse(path)
                .test(httpGet.path ?? ''),
          });
        }),
      ];
    },
  },
  {
    name: 'a pod that ends is first removed from traffic, and has the time that its service needs to end',
    violations: (rendered) => {
      const [deployment] = deploymentsOf(rendered);
      const container = serviceContainer(rendered);
      const shutdownMs = Number(textOf(environmentOf(container), 'SHUTDOWN_GRACE_MS'));
      const sleep = container.lifecycle?.preStop?.sleep?.seconds ?? 0;
      const grace = (deployment && podOf(deployment).spec.terminationGracePeriodSeconds) ?? 30;
      return when({
        [`preStop sleeps ${sleep} s, not 5 s or more`]: sleep < 5 && !rendered.isDevelopment,
        'there is no preStop sleep': sleep === 0,
        [`terminationGracePeriodSeconds is ${grace}: preStop needs ${sleep} s and the service up to ${shutdownMs} ms`]:
          !(grace * 1_000 >= sleep * 1_000 + shutdownMs),
      });
    },
  },
  {
    name: 'a new version replaces pods one by one, each only after another one is ready',
    violations: (rendered) =>
      deploymentsOf(rendered).flatMap(({ spec }) =>
        when({
          'strategy is not maxUnavailable 0 with maxSurge':
            Number(spec?.strategy?.rollingUpdate?.maxUnavailable) !== 0 ||
            surgePods(spec?.strategy?.rollingUpdate?.maxSurge ?? 0, 1) < 1,
        }),
      ),
  },
  {
    name: 'a crash loop fails the rollout within five minutes, and its pods show the reason',
    violations: (rendered) => [
      ...deploymentsOf(rendered).flatMap(({ spec }) => {
        const seconds = spec?.progressDeadlineSeconds ?? 600;
        return when({ [`progressDeadlineSeconds is ${seconds}`]: seconds > 300 });
      }),
      ...containersOf(rendered).flatMap(({ title, container: { terminationMessagePolicy } }) =>
        when({
          [`${title} does not show the last lines of its log`]:
            terminationMessagePolicy !== 'FallbackToLogsOnError',
        }),
      ),
    ],
  },
  {
    name: 'replicas are left to the autoscaler, or are at least two',
    violations: (rendered) => {
      const autoscalers = autoscalersOf(rendered);
      return deploymentsOf(rendered).flatMap(({ spec }) =>
        autoscalers.length > 0
          ? when({ 'replicas is set despite an autoscaler': spec?.replicas !== undefined })
          : when({
              [`replicas is ${spec?.replicas ?? 'absent'}`]:
                (spec?.replicas ?? 1) < (rendered.isDevelopment ? 1 : 2),
            }),
      );
    },
  },
  {
    name: 'an autoscaler scales the deployment, with at least two replicas',
    violations: (rendered) => {
      const names = deploymentsOf(rendered).map(({ metadata }) => metadata.name);
      const autoscalers = autoscalersOf(rendered);
      const authentications = objectsOf(rendered, TriggerAuthentication.is).map(
        ({ metadata }) => metadata.name,
      );
      return [
        ...when({ 'there are several autoscalers': autoscalers.length > 1 }),
        ...autoscalers.flatMap(({ title, target, min, max }) =>
          when({
            [`${title} scales ${target?.kind ?? 'Deployment'} ${target?.name ?? ''}, which the chart does not contain`]:
              (target?.kind ?? 'Deployment') !== 'Deployment' || !names.includes(target?.name ?? ''),
            [`${title} goes down to ${min}`]: min < 2,
            [`${title} cannot scale: ${min} to ${max}`]: max <= min,
          }),
        ),
        ...objectsOf(rendered, ScaledObject.is).flatMap(({ spec }) => [
          ...when({ 'cooldownPeriod affects only the last replica': spec.cooldownPeriod !== undefined }),
          ...spec.triggers.flatMap(({ type, authenticationRef, useCachedMetrics }) =>
            when({
              [`the trigger ${type} has no TriggerAuthentication of the chart`]:
                authenticationRef === undefined || !authentications.includes(authenticationRef.name),
              [`pollingInterval has no effect, since the trigger ${type} has no useCachedMetrics`]:
                spec.pollingInterval !== undefined && !useCachedMetrics,
            }),
          ),
        ]),
      ];
    },
  },
  {
    name: 'job-state, at its largest and during an upgrade, needs no more connections than Postgres has by default',
    violations: (rendered) => {
      const pool = textOf(environmentOf(serviceContainer(rendered)), 'POSTGRES_POOL_SIZE');
      if (pool === undefined) return [];
      const replicas = Math.max(
        ...deploymentsOf(rendered).map(({ spec }) => spec?.replicas ?? 1),
        ...autoscalersOf(rendered).map(({ max }) => max),
      );
      const [surge = 1] = deploymentsOf(rendered).map(({ spec }) =>
        surgePods(spec?.strategy?.rollingUpdate?.maxSurge ?? 1, replicas),
      );
      const needed = (replicas + surge) * (Number(pool) + QUEUE_CONNECTIONS) + HOOK_CONNECTIONS;
      return when({
        [`${replicas} replicas with pools of ${pool} need ${needed} connections, and there are ${POSTGRES_CONNECTIONS}`]:
          needed > POSTGRES_CONNECTIONS,
      });
    },
  },
  {
    name: 'a disruption budget covers only the pods of the service, and allows the eviction of one',
    violations: (rendered) => {
      const budgets = objectsOf(rendered, PodDisruptionBudget.is);
      return [
        ...when({
          'there is not exactly one PodDisruptionBudget': budgets.length !== 1 && !rendered.isDevelopment,
        }),
        ...budgets.flatMap(({ spec: { selector = {}, maxUnavailable, minAvailable } = {} }) => [
          ...deploymentsOf(rendered).flatMap((deployment) =>
            when({
              'the PodDisruptionBudget does not select the pods of the Deployment': !selects(
                selector,
                podOf(deployment).labels,
              ),
            }),
          ),
          ...othersOf(rendered).flatMap(({ title, labels }) =>
            when({ [`the PodDisruptionBudget selects the pods of ${title}`]: selects(selector, labels) }),
          ),
          ...when({
            'the PodDisruptionBudget does not set maxUnavailable 1':
              maxUnavailable !== 1 || minAvailable !== undefined,
          }),
        ]),
      ];
    },
  },
  {
    name: 'pods are spread over zones and nodes',
    violations: (rendered) =>
      deploymentsOf(rendered)
        .map(podOf)
        .flatMap(({ labels, spec }) =>
          ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].flatMap((key) =>
            when({
              [`no constraint spreads the pods over ${key}`]: !spec.topologySpreadConstraints?.some(
                ({ topologyKey, labelSelector: selector }) =>
                  topologyKey === key &&
                  Object.keys(selector?.matchLabels ?? {}).length > 0 &&
                  selects(selector ?? {}, labels),
              ),
            }),
          ),
        ),
  },
];
