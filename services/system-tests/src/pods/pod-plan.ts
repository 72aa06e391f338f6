import {
  container,
  type KubernetesObject,
  podTemplate,
  workload,
} from '@partner/deployment/kubernetes-object';
import { z } from 'zod';
import type { ImageConfig } from './container-image.js';

const probe = z.looseObject({
  httpGet: z.looseObject({ path: z.string(), port: z.union([z.string(), z.number()]) }),
  periodSeconds: z.number().default(10),
  timeoutSeconds: z.number().default(1),
  failureThreshold: z.number().default(3),
});

export type Probe = z.infer<typeof probe>;

const startedContainer = container.extend({
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })).default([]),
  startupProbe: probe.optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
});

const startedTemplate = podTemplate.extend({
  spec: podTemplate.shape.spec.extend({
    containers: z.tuple([startedContainer]),
    terminationGracePeriodSeconds: z.number().default(30),
    volumes: z
      .array(
        z.looseObject({
          name: z.string(),
          emptyDir: z.looseObject({ sizeLimit: z.string().optional() }).optional(),
          hostPath: z.looseObject({ path: z.string() }).optional(),
        }),
      )
      .default([]),
  }),
});

/** Stands in for the secrets that have to be there before: their keys, by their names. */
export type Secrets = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Everything that a kubelet would take from a workload to run its only container. */
export interface PodPlan {
  /** The whole command line. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly uid: number;
  readonly gid: number;
  readonly readOnlyRoot: boolean;
  readonly noNewPrivileges: boolean;
  readonly dropsAllCapabilities: boolean;
  /** Where something of this machine, or an empty folder of its own, is put. */
  readonly mounts: readonly { readonly at: string; readonly hostPath?: string }[];
  readonly ports: Readonly<Record<string, number>>;
  readonly probes: { readonly startup?: Probe; readonly readiness?: Probe; readonly liveness?: Probe };
  readonly preStopSeconds: number;
  readonly terminationGraceSeconds: number;
}

/**
 * Reads how the pods of one workload are run. Throws for what a kubelet would not run either: a key of a secret that
 * is not there, a user that is root although it must not be, a mount without its volume.
 */
export function planPod(
  objects: readonly KubernetesObject[],
  which: { readonly kind: 'Deployment' | 'Job'; readonly name: string },
  image: ImageConfig,
  secrets: Secrets,
): PodPlan {
  const found = objects.find(({ kind, metadata }) => kind === which.kind && metadata.name === which.name);
  if (found === undefined) throw new Error(`the chart makes no ${which.kind} ${which.name}`);
  const { spec } = startedTemplate.parse(workload.parse(found).spec.template);
  const [only] = spec.containers;
  const security = { ...spec.securityContext, ...only.securityContext };
  const [imageUser = '', imageGroup = imageUser] = image.user.split(':');
  const uid = security.runAsUser ?? Number(imageUser);
  if (security.runAsNonRoot === true && uid === 0) throw new Error(`${which.name} would run as root`);
  return {
    command: [
      ...(only.command.length > 0 ? only.command : image.entrypoint),
      ...(only.args.length > 0 ? only.args : only.command.length > 0 ? [] : image.cmd),
    ],
    env: { ...image.env, ...resolveEnvironment(only, secrets) },
    workdir: image.workdir,
    uid,
    gid: z.number().default(Number(imageGroup)).parse(security['runAsGroup']),
    readOnlyRoot: security.readOnlyRootFilesystem ?? false,
    noNewPrivileges: security.allowPrivilegeEscalation === false,
    dropsAllCapabilities: security.capabilities?.drop.includes('ALL') ?? false,
    mounts: only.volumeMounts.map(({ name, mountPath }) => {
      const volume = spec.volumes.find((candidate) => candidate.name === name);
      if (volume?.hostPath !== undefined) return { at: mountPath, hostPath: volume.hostPath.path };
      if (volume?.emptyDir === undefined)
        throw new Error(`${which.name} has no volume ${name} that can be made here`);
      return { at: mountPath };
    }),
    ports: Object.fromEntries(only.ports.map(({ name, containerPort }) => [name, containerPort])),
    probes: {
      ...(only.startupProbe !== undefined && { startup: only.startupProbe }),
      ...(only.readinessProbe !== undefined && { readiness: only.readinessProbe }),
      ...(only.livenessProbe !== undefined && { liveness: only.livenessProbe }),
    },
    preStopSeconds: only.lifecycle?.preStop?.sleep?.seconds ?? 0,
    terminationGraceSeconds: spec.terminationGracePeriodSeconds,
  };
}

function resolveEnvironment(
  { env }: z.infer<typeof startedContainer>,
  secrets: Secrets,
): Record<string, string> {
  const keyOf = ({ name, key }: { name: string; key: string }) => {
    const data = secrets[name];
    if (data === undefined) throw new Error(`there is no secret ${name}`);
    const value = data[key];
    if (value === undefined) throw new Error(`the secret ${name} has no key ${key}`);
    return value;
  };
  const resolved: Record<string, string> = {};
  for (const { name, value, valueFrom } of env) {
    const secretKey = valueFrom?.secretKeyRef;
    // A kubelet leaves out a variable whose optional key is not there.
    if (secretKey?.optional === true && secrets[secretKey.name]?.[secretKey.key] === undefined) continue;
    if (secretKey !== undefined) resolved[name] = keyOf(secretKey);
    else if (valueFrom !== undefined) throw new Error(`${name} comes from what is not known here`);
    else resolved[name] = expand(value ?? '', resolved);
  }
  return resolved;
}

/** `$(NAME)` stands for a variable that was set before. */
function expand(value: string, before: Readonly<Record<string, string>>): string {
  return value.replace(/\$\(([A-Za-z_][A-Za-z0-9_]*)\)/g, (whole, name: string) => before[name] ?? whole);
}
