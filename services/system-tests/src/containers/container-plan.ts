import { environmentOf, type KubernetesObject, podsOf } from '@partner/deployment/chart-objects';

type Container = ReturnType<typeof podsOf>[number]['spec']['containers'][number];
type Probe = NonNullable<Container['startupProbe']>;

/** The values of the secrets that the charts read, by name and key. */
export type Secrets = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** How Docker runs the container of a chart's workload. */
export interface ContainerPlan {
  readonly options: readonly string[];
  /** Arguments of the image's entry point; empty: those of the image. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly ports: readonly string[];
  readonly probes: {
    readonly startup: Probe | undefined;
    readonly readiness: Probe | undefined;
    readonly liveness: Probe | undefined;
  };
  readonly preStopSeconds: number;
  readonly terminationGraceSeconds: number;
}

/** Translates the container of one rendered workload. Throws if a secret lacks a key that is not optional. */
export function planContainer(
  objects: readonly KubernetesObject[],
  which: { readonly kind: 'Deployment' | 'Job'; readonly name: string },
  secrets: Secrets,
): ContainerPlan {
  const pod = podsOf({ objects }).find(({ title }) => title === `${which.kind} ${which.name}`);
  const [only] = pod?.spec.containers ?? [];
  if (pod === undefined || only === undefined) {
    throw new Error(`the chart renders no ${which.kind} ${which.name} with a container`);
  }
  const { spec } = pod;
  const { runAsUser, runAsGroup } = spec.securityContext ?? {};
  const security = only.securityContext;
  const env: Record<string, string> = {};
  for (const [name, source] of environmentOf(only)) {
    const value = source.from === 'secret' ? secrets[source.name]?.[source.key] : source.value;
    if (value !== undefined) env[name] = value;
    else if (source.from === 'secret' && !source.optional)
      throw new Error(`the secret ${source.name} has no key ${source.key}`);
  }
  return {
    options: [
      // Kubernetes uses the probes instead.
      '--no-healthcheck',
      ...['--user', `${runAsUser}:${runAsGroup}`],
      ...(security?.readOnlyRootFilesystem === true ? ['--read-only'] : []),
      ...(security?.allowPrivilegeEscalation === false ? ['--security-opt', 'no-new-privileges'] : []),
      ...(security?.capabilities?.drop ?? []).flatMap((capability) => ['--cap-drop', capability]),
      ...(only.volumeMounts ?? []).flatMap(({ name, mountPath }) => {
        const source = spec.volumes?.find((volume) => volume.name === name)?.hostPath;
        return source === undefined ? ['--tmpfs', mountPath] : ['--volume', `${source.path}:${mountPath}:ro`];
      }),
    ],
    args: only.args ?? [],
    env,
    ports: (only.ports ?? []).map(({ name = '' }) => name),
    probes: { startup: only.startupProbe, readiness: only.readinessProbe, liveness: only.livenessProbe },
    preStopSeconds: only.lifecycle?.preStop?.sleep?.seconds ?? 0,
    terminationGraceSeconds: spec.terminationGracePeriodSeconds ?? 30,
  };
}
