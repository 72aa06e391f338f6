import type { z } from 'zod';
import type { ServiceName } from '@partner/local-stack/stack/services';
import {
  type Container,
  type KubernetesObject,
  type PodTemplate,
  workload,
  type Workload,
} from '../kubernetes-object.js';

/** The objects that the chart of a service makes of one set of values. */
export interface RenderedChart {
  readonly service: ServiceName;
  /** For a cluster of one developer: what is there to survive faults is not asked of it. */
  readonly isDevelopment: boolean;
  readonly objects: readonly KubernetesObject[];
}

/** A rule that every chart of a service keeps with every set of values. */
export interface DeploymentRule {
  readonly name: string;
  /** A sentence for each breach; empty when there is none. */
  readonly faults: (rendered: RenderedChart) => readonly string[];
}

/** The objects of a kind, as a schema reads them. */
export function ofKind<S extends z.ZodType>(
  { objects }: Pick<RenderedChart, 'objects'>,
  kind: string,
  schema: S,
): readonly z.infer<S>[] {
  return objects.filter((object) => object.kind === kind).map((object) => schema.parse(object));
}

/** The objects of a kind, typed as its API: `validateObjects` proves that they are. */
export function objectsOf<T>(
  { objects }: Pick<RenderedChart, 'objects'>,
  isOfKind: (value: unknown) => value is T,
): readonly (KubernetesObject & T)[] {
  const found: (KubernetesObject & T)[] = [];
  for (const object of objects) if (isOfKind(object)) found.push(object);
  return found;
}

/** Everything that makes pods, hooks included. */
export function workloadsOf(rendered: Pick<RenderedChart, 'objects'>): readonly Workload[] {
  return ['Deployment', 'StatefulSet', 'Job'].flatMap((kind) => ofKind(rendered, kind, workload));
}

/** The deployments with the container that is named as the service; there is to be one. */
export function deploymentsOf(rendered: Pick<RenderedChart, 'service' | 'objects'>): readonly Workload[] {
  return ofKind(rendered, 'Deployment', workload).filter(({ spec }) =>
    spec.template.spec.containers.some(({ name }) => name === rendered.service),
  );
}

/** What makes pods besides the deployment of the service, for Services and budgets to leave alone. */
export function othersOf(rendered: Pick<RenderedChart, 'service' | 'objects'>): readonly Workload[] {
  const own = deploymentsOf(rendered).map(({ metadata }) => metadata.name);
  return workloadsOf(rendered).filter(
    ({ kind, metadata }) => kind !== 'Deployment' || !own.includes(metadata.name),
  );
}

/** A pod template with the words for where it stands. */
export interface TitledPod {
  readonly title: string;
  readonly pod: PodTemplate;
}

export function podsOf(rendered: Pick<RenderedChart, 'objects'>): readonly TitledPod[] {
  return workloadsOf(rendered).map((owner) => ({
    title: `${owner.kind} ${owner.metadata.name}`,
    pod: owner.spec.template,
  }));
}

/** A container of any pod, those that run first included. */
export interface TitledContainer {
  readonly title: string;
  readonly container: Container;
  readonly pod: PodTemplate;
}

export function containersOf(rendered: Pick<RenderedChart, 'objects'>): readonly TitledContainer[] {
  return podsOf(rendered).flatMap(({ title, pod }) =>
    [...pod.spec.initContainers, ...pod.spec.containers].map((container) => ({
      title: `${title}, container ${container.name}`,
      container,
      pod,
    })),
  );
}

/** The container of a service's deployment that has its name. Throws when the chart has no such. */
export function serviceContainer(rendered: RenderedChart): Container {
  const found = deploymentsOf(rendered)
    .flatMap(({ spec }) => spec.template.spec.containers)
    .find(({ name }) => name === rendered.service);
  if (found === undefined)
    throw new Error(`the chart has no deployment with a container ${rendered.service}`);
  return found;
}

/** True for what Helm makes before or after the release itself, and may take away. */
export function isHook({ metadata }: KubernetesObject): boolean {
  return metadata.annotations['helm.sh/hook'] !== undefined;
}

/** The sentences whose conditions hold. */
export function when(conditions: Readonly<Record<string, boolean>>): readonly string[] {
  return Object.keys(conditions).filter((sentence) => conditions[sentence] === true);
}
