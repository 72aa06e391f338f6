import { Deployment, type IDeployment, type IStatefulSet, StatefulSet } from 'kubernetes-models/apps/v1';
import { type IJob, Job } from 'kubernetes-models/batch/v1';
import type { IContainer, IPodSpec } from 'kubernetes-models/v1';
import type { ServiceName } from '@partner/local-stack/stack/services';
import type { KubernetesObject } from '../kubernetes-object.js';

/** The objects that the chart of a service renders from one set of values. */
export interface RenderedChart {
  readonly service: ServiceName;
  /** For a developer's cluster: rules about surviving failures do not apply. */
  readonly isDevelopment: boolean;
  readonly objects: readonly KubernetesObject[];
}

/**
 * Rules, by name, that every chart of a service satisfies with every set of values. Each yields a sentence for each breach.
 */
export type DeploymentRules = Readonly<Record<string, (rendered: RenderedChart) => Iterable<string>>>;

/** Returns the objects of a kind with the type of its API, which `validateObjects` checks. */
export function objectsOf<T>(
  { objects }: Pick<RenderedChart, 'objects'>,
  isOfKind: (value: unknown) => value is T,
): readonly (KubernetesObject & T)[] {
  const found: (KubernetesObject & T)[] = [];
  for (const object of objects) if (isOfKind(object)) found.push(object);
  return found;
}

/** Deployment, StatefulSet or Job. */
type Workload = KubernetesObject & (IDeployment | IStatefulSet | IJob);

/** Returns every object that creates pods, hooks included. */
function workloadsOf(rendered: Pick<RenderedChart, 'objects'>): readonly Workload[] {
  return [
    ...objectsOf(rendered, Deployment.is),
    ...objectsOf(rendered, StatefulSet.is),
    ...objectsOf(rendered, Job.is),
  ];
}

/** Returns the deployments with a container of the service's name; there should be one. */
export function deploymentsOf(
  rendered: Pick<RenderedChart, 'service' | 'objects'>,
): readonly (KubernetesObject & IDeployment)[] {
  return objectsOf(rendered, Deployment.is).filter((deployment) =>
    podOf(deployment).spec.containers.some(({ name }) => name === rendered.service),
  );
}

/** Returns the pods of other objects; Services and budgets must not select those. */
export function othersOf(rendered: Pick<RenderedChart, 'service' | 'objects'>): readonly TitledPod[] {
  const own = deploymentsOf(rendered).map((deployment) => podOf(deployment).title);
  return podsOf(rendered).filter(({ title }) => !own.includes(title));
}

/** A pod template with its place for messages. */
export interface TitledPod {
  readonly title: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: IPodSpec;
}

/** Returns the pods of a workload. */
export function podOf({ kind, metadata, spec: owned }: Workload): TitledPod {
  const { metadata: { labels = {} } = {}, spec = { containers: [] } } = owned?.template ?? {};
  return { title: `${kind} ${metadata.name}`, labels, spec };
}

export function podsOf(rendered: Pick<RenderedChart, 'objects'>): readonly TitledPod[] {
  return workloadsOf(rendered).map(podOf);
}

/** A container of any pod, init containers included. */
export interface TitledContainer {
  readonly title: string;
  readonly container: IContainer;
  readonly spec: IPodSpec;
}

export function containersOf(rendered: Pick<RenderedChart, 'objects'>): readonly TitledContainer[] {
  return podsOf(rendered).flatMap(({ title, spec }) =>
    [...(spec.initContainers ?? []), ...spec.containers].map((container) => ({
      title: `${title}, container ${container.name}`,
      container,
      spec,
    })),
  );
}

/** Returns the container of a service's deployment that has its name. Throws if the chart has none. */
export function serviceContainer(rendered: RenderedChart): IContainer {
  const found = deploymentsOf(rendered)
    .flatMap((deployment) => podOf(deployment).spec.containers)
    .find(({ name }) => name === rendered.service);
  if (found === undefined)
    throw new Error(`the chart has no deployment with a container ${rendered.service}`);
  return found;
}

/** Returns whether an object is a hook, which Helm creates before or after the release and may delete. */
export function isHook({ metadata }: KubernetesObject): boolean {
  return metadata.annotations['helm.sh/hook'] !== undefined;
}
