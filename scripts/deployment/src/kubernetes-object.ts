import { z } from 'zod';

const text = z.record(z.string(), z.string());

/** The fields of every object of Kubernetes. The schemas of this file read the rest where it is needed. */
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

/** Selects objects by their labels; an empty one selects all. */
const labelSelector = z.looseObject({
  matchLabels: text.default({}),
  matchExpressions: z
    .array(z.looseObject({ key: z.string(), operator: z.string(), values: z.array(z.string()).default([]) }))
    .default([]),
});

/** A selector in an object; an absent field has no condition. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?:
    | readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] }[]
    | undefined;
}

const securityContext = z.looseObject({
  runAsNonRoot: z.boolean().optional(),
  runAsUser: z.number().optional(),
  privileged: z.boolean().optional(),
  allowPrivilegeEscalation: z.boolean().optional(),
  readOnlyRootFilesystem: z.boolean().optional(),
  seccompProfile: z.looseObject({ type: z.string() }).optional(),
  capabilities: z
    .looseObject({ add: z.array(z.string()).default([]), drop: z.array(z.string()).default([]) })
    .optional(),
});

const probe = z.looseObject({
  httpGet: z.looseObject({ path: z.string(), port: z.union([z.string(), z.number()]) }).optional(),
});

const keyRef = z.looseObject({ name: z.string(), key: z.string(), optional: z.boolean().optional() });

const environmentVariable = z.looseObject({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z.looseObject({ secretKeyRef: keyRef.optional() }).optional(),
});

const quantities = z.record(z.string(), z.union([z.string(), z.number()]).transform(String)).default({});

export const container = z.looseObject({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()).default([]),
  command: z.array(z.string()).default([]),
  env: z.array(environmentVariable).default([]),
  envFrom: z.array(z.looseObject({})).default([]),
  ports: z.array(z.looseObject({ name: z.string(), containerPort: z.number() })).default([]),
  securityContext: securityContext.optional(),
  startupProbe: probe.optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  terminationMessagePolicy: z.string().optional(),
  lifecycle: z
    .looseObject({
      preStop: z.looseObject({ sleep: z.looseObject({ seconds: z.number() }).optional() }).optional(),
    })
    .optional(),
  resources: z.looseObject({ requests: quantities, limits: quantities }).optional(),
});

export type Container = z.infer<typeof container>;

const podSpec = z.looseObject({
  containers: z.array(container),
  initContainers: z.array(container).default([]),
  automountServiceAccountToken: z.boolean().optional(),
  serviceAccountName: z.string().optional(),
  securityContext: securityContext.optional(),
  terminationGracePeriodSeconds: z.number().optional(),
  restartPolicy: z.string().optional(),
  hostNetwork: z.boolean().optional(),
  hostPID: z.boolean().optional(),
  hostIPC: z.boolean().optional(),
  volumes: z.array(z.looseObject({ name: z.string() })).default([]),
  topologySpreadConstraints: z
    .array(
      z.looseObject({
        topologyKey: z.string(),
        labelSelector: labelSelector.optional(),
      }),
    )
    .default([]),
});

export const podTemplate = z.looseObject({
  metadata: z.looseObject({ labels: text.default({}), annotations: text.default({}) }),
  spec: podSpec,
});

export type PodTemplate = z.infer<typeof podTemplate>;

/** Deployment, StatefulSet or Job. */
export const workload = kubernetesObject.extend({
  spec: z.looseObject({
    replicas: z.number().optional(),
    progressDeadlineSeconds: z.number().optional(),
    selector: labelSelector.optional(),
    template: podTemplate,
    strategy: z
      .looseObject({
        type: z.string().optional(),
        rollingUpdate: z
          .looseObject({
            maxUnavailable: z.union([z.string(), z.number()]).optional(),
            maxSurge: z.union([z.string(), z.number()]).optional(),
          })
          .optional(),
      })
      .optional(),
    backoffLimit: z.number().optional(),
    activeDeadlineSeconds: z.number().optional(),
    ttlSecondsAfterFinished: z.number().optional(),
  }),
});

export type Workload = z.infer<typeof workload>;

export const service = kubernetesObject.extend({
  spec: z.looseObject({
    selector: text.default({}),
    ports: z.array(
      z.looseObject({
        name: z.string(),
        port: z.number(),
        targetPort: z.union([z.string(), z.number()]).optional(),
      }),
    ),
  }),
});

export type Service = z.infer<typeof service>;

const policyPeer = z.looseObject({
  podSelector: labelSelector.optional(),
  namespaceSelector: labelSelector.optional(),
  ipBlock: z.looseObject({ cidr: z.string(), except: z.array(z.string()).default([]) }).optional(),
});

const policyPort = z.looseObject({
  protocol: z.string().default('TCP'),
  port: z.union([z.string(), z.number()]).optional(),
});

export const networkPolicy = kubernetesObject.extend({
  spec: z.looseObject({
    podSelector: labelSelector,
    policyTypes: z.array(z.string()).default([]),
    ingress: z
      .array(z.looseObject({ from: z.array(policyPeer).default([]), ports: z.array(policyPort).default([]) }))
      .default([]),
    egress: z
      .array(z.looseObject({ to: z.array(policyPeer).default([]), ports: z.array(policyPort).default([]) }))
      .default([]),
  }),
});

export type NetworkPolicy = z.infer<typeof networkPolicy>;

/** Returns whether the labels match the selector. */
export function selects(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      switch (operator) {
        case 'In':
          return value !== undefined && values.includes(value);
        case 'NotIn':
          return value === undefined || !values.includes(value);
        case 'Exists':
          return value !== undefined;
        case 'DoesNotExist':
          return value === undefined;
        default:
          return false;
      }
    })
  );
}
