import type { INetworkPolicySpec } from 'kubernetes-models/networking.k8s.io/v1';
import { z } from 'zod';
import { Deployment, type IDeployment, type IStatefulSet, StatefulSet } from 'kubernetes-models/apps/v1';
import { type IJob, Job } from 'kubernetes-models/batch/v1';
import type { IContainer, IPodSpec } from 'kubernetes-models/v1';
import type { ServiceName } from '@partner/local-stack/stack/services';

const text = z.record(z.string(), z.string());

export const kubernetesObject = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    labels: text.default({}),
    annotations: text.default({}),
  }),
});

export type KubernetesObject = z.infer<typeof kubernetesObject>;

export type LabelSelector = NonNullable<INetworkPolicySpec['podSelector']>;

export function selects(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      const isListed = value !== undefined && values.includes(value);
      if (operator === 'In') return isListed;
      if (operator === 'NotIn') return !isListed;
      return operator === (value === undefined ? 'DoesNotExist' : 'Exists');
    })
  );
}

export interface RenderedObjects {
  readonly objects: readonly KubernetesObject[];
}

export interface RenderedChart extends RenderedObjects {
  readonly service: ServiceName;
}

export interface RenderedService extends RenderedChart {
  readonly title: string;
  /** For a developer's cluster, which need not survive failures. */
  readonly isDevelopment: boolean;
}

/** Returns the objects of a kind with the type of its API, which `validateObjects` checks. */
export function objectsOf<T>(
  { objects }: RenderedObjects,
  isOfKind: (value: unknown) => value is T,
): readonly (KubernetesObject & T)[] {
  return objects.flatMap((object) => (isOfKind(object) ? [object] : []));
}

type Workload = KubernetesObject & (IDeployment | IStatefulSet | IJob);

export interface Pod {
  readonly title: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: IPodSpec;
}

export function podOf({ kind, metadata, spec: owned }: Workload): Pod {
  const { metadata: { labels = {} } = {}, spec = { containers: [] } } = owned?.template ?? {};
  return { title: `${kind} ${metadata.name}`, labels, spec };
}

export function podsOf(rendered: RenderedObjects): readonly Pod[] {
  return [
    ...objectsOf(rendered, Deployment.is),
    ...objectsOf(rendered, StatefulSet.is),
    ...objectsOf(rendered, Job.is),
  ].map(podOf);
}

export function containersOf(
  rendered: RenderedObjects,
): readonly (Pod & { readonly container: IContainer })[] {
  return podsOf(rendered).flatMap((pod) =>
    [...(pod.spec.initContainers ?? []), ...pod.spec.containers].map((container) => ({
      ...pod,
      title: `${pod.title}, container ${container.name}`,
      container,
    })),
  );
}

/** Returns the deployment of a service, its pod and the container with its name. Throws unless there is exactly one. */
export function deploymentOf(rendered: RenderedChart) {
  const found = objectsOf(rendered, Deployment.is).flatMap((deployment) => {
    const pod = podOf(deployment);
    const container = pod.spec.containers.find(({ name }) => name === rendered.service);
    return container === undefined ? [] : [{ deployment, pod, container }];
  });
  const [first] = found;
  if (first === undefined || found.length > 1)
    throw new Error(`there is not exactly one Deployment with a container ${rendered.service}`);
  return first;
}

export function isHook({ metadata }: KubernetesObject): boolean {
  return metadata.annotations['helm.sh/hook'] !== undefined;
}

type VariableSource =
  | { readonly from: 'value'; readonly value: string }
  | { readonly from: 'secret'; readonly name: string; readonly key: string; readonly optional: boolean };

export function environmentOf({ env = [] }: IContainer): ReadonlyMap<string, VariableSource> {
  return new Map(
    env.map(({ name: variable, value = '', valueFrom }): [string, VariableSource] => {
      if (valueFrom?.secretKeyRef === undefined) return [variable, { from: 'value', value }];
      const { name = '', key, optional = false } = valueFrom.secretKeyRef;
      return [variable, { from: 'secret', name, key, optional }];
    }),
  );
}

export function textOf(container: IContainer, name: string): string | undefined {
  const source = environmentOf(container).get(name);
  return source?.from === 'value' ? source.value : undefined;
}
