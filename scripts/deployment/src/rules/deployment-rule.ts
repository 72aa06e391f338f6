import type { z } from 'zod';
import type { ServiceName } from '@partner/local-stack/stack/services';
import {
  type Container,
  type KubernetesObject,
  type PodTemplate,
  workload,
  type Workload,
} from '../kubernetes-object.js';

/** The objects that the chart of a service renders from one set of values. */
export interface RenderedChart {
  readonly service: ServiceName;
  /** For a developer's cluster: rules about surviving faults do not apply. */
  readonly isDevelopment: boolean;
  readonly objects: readonly KubernetesObject[];
}

/** A rule that every chart of a service satisfies with every set of values. */
export interface DeploymentRule {
  readonly name: string;
  /** Returns a sentence for each breach; empty without one. */
  readonly faults: (rendered: RenderedChart) => readonly string[];
}

/** Returns the objects of a kind, parsed by a schema. */
export function ofKind<S extends z.ZodType>(
  { objects }: Pick<RenderedChart, 'objects'>,
  kind: string,
  schema: S,
): readonly z.infer<S>[] {
  return objects.filter((object) => object.kind === kind).map((object) => schema.parse(object));
}

/** Returns the objects of a kind with the type of its API, which `validateObjects` checks. */
export function objectsOf<T>(
  { objects }: Pick<RenderedChart, 'objects'>,
  isOfKind: (value: unknown) => value is T,
): readonly (KubernetesObject & T)[] {
  const found: (KubernetesObject & T)[] = [];
  for (const object of objects) if (isOfKind(object)) found.push(object);
  return found;
}

/** Returns every object that creates pods, hooks included. */
export function workloadsOf(rendered: Pick<RenderedChart, 'objects'>): readonly Workload[] {
  return ['Deployment', 'StatefulSet', 'Job'].flatMap((kind) => ofKind(rendered, kind, workload));
}

/** Returns the deployments with a container of the service's name; there should be one. */
export function deploymentsOf(rendered: Pick<RenderedChart, 'service' | 'objects'>): readonly Workload[] {
  return ofKind(rendered, 'Deployment', workload).filter(({ spec }) =>
    spec.template.spec.containers.some(({ name }) => name === rendered.service),
  );
}

/** Returns the other objects that create pods; Services and budgets must not select those. */
export function othersOf(rendered: Pick<RenderedChart, 'service' | 'objects'>): readonly Workload[] {
  const own = deploymentsOf(rendered).map(({ metadata }) => metadata.name);
  return workloadsOf(rendered).filter(
    ({ kind, metadata }) => kind !== 'Deployment' || !own.includes(metadata.name),
  );
}

/** A pod template with its place for messages. */
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

/** A container of any pod, init containers included. */
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

/** Returns the container of a service's deployment that has its name. Throws if the chart has none. */
export function serviceContainer(rendered: RenderedChart): Container {
  const found = deploymentsOf(rendered)
    .flatMap(({ spec }) => spec.template.spec.containers)
    .find(({ name }) => name === rendered.service);
  if (found === undefined)
    throw new Error(`the chart has no deployment with a container ${rendered.service}`);
  return found;
}

/** Returns whether an object is a hook, which Helm creates before or after the release and may delete. */
export function isHook({ metadata }: KubernetesObject): boolean {
  return metadata.annotations['helm.sh/hook'] !== undefined;
}

/** Returns the sentences whose conditions are true. */
export function when(conditions: Readonly<Record<string, boolean>>): readonly string[] {
  return Object.keys(conditions).filter((sentence) => conditions[sentence] === true);
}
