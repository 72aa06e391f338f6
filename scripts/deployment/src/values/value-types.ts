import { IPV4, IPV6 } from '@partner/kernel/process/address-patterns';
import { z } from 'zod';
import type { PodResources } from './chart-facts.js';

const DNS_LABEL = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';
/** Name of most Kubernetes objects. */
const DNS_SUBDOMAIN = `${DNS_LABEL}(\\.${DNS_LABEL})*`;
/** Not an IP address: its last label begins with a letter. */
const HOST = `(${DNS_LABEL}\\.)*[a-z]([-a-z0-9]{0,61}[a-z0-9])?`;
const MAX_SUBDOMAIN = 253;

/** A text that matches a pattern from its beginning to its end. */
const matching = (pattern: string) => z.string().regex(new RegExp(`^${pattern}$`));
const emptyOr = (pattern: string) => matching(`(${pattern})?`);

const is = (values: Readonly<Record<string, string>>) => ({
  required: Object.keys(values),
  properties: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { const: value }])),
});
const when = (values: Readonly<Record<string, string>>, then: object, otherwise: object) => ({
  if: is(values),
  then,
  else: otherwise,
});

export const group = <Fields extends z.ZodRawShape>(description: string, fields: Fields) =>
  z.strictObject(fields).describe(description);
export const flag = z.boolean();
export const text = z.string();

const LABEL = '[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const labelName = matching(`(${DNS_SUBDOMAIN}/)?${LABEL}`)
  .max(MAX_SUBDOMAIN + 64)
  .meta({ id: 'labelName' });
const labelValue = emptyOr(LABEL).meta({ id: 'labelValue' });
export const labels = z.record(labelName, labelValue).meta({ id: 'labels' });
export const annotations = z.record(labelName, z.string()).meta({ id: 'annotations' });
/** An object whose fields Kubernetes validates. */
const object = z.looseObject({});
const name = matching(DNS_SUBDOMAIN).max(MAX_SUBDOMAIN).meta({ id: 'name' });
export const pullSecrets = z.array(z.strictObject({ name }));
export const tolerations = z.array(
  z
    .strictObject({
      key: labelName.optional(),
      operator: z.enum(['Exists', 'Equal']).optional(),
      value: labelValue.optional(),
      effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']).optional(),
      tolerationSeconds: z.int().optional(),
    })
    .meta({
      allOf: [
        when({ operator: 'Exists' }, { not: { required: ['value'] } }, { required: ['key'] }),
        { anyOf: [{ not: { required: ['tolerationSeconds'] } }, is({ effect: 'NoExecute' })] },
      ],
    }),
);
export const affinity = z.strictObject({
  nodeAffinity: object.optional(),
  podAffinity: object.optional(),
  podAntiAffinity: object.optional(),
});

/** Cpu of a container, e.g. `100m`. Kubernetes takes no part of a thousandth. */
const cpu = z.union([z.string().regex(/^([0-9]+m|[0-9]+(\.[0-9]{1,3})?)$/), z.int().min(0)]);
/** Memory of a container, e.g. `256Mi`; not 0. */
export const memory = z.string().regex(/^([1-9][0-9]*(\.[0-9]+)?|0\.[0-9]*[1-9])(Mi|Gi)$/);
export const surge = z.union([z.int().min(1).max(100), matching('[1-9][0-9]{0,2}%')]);
export const gatewayDuration = matching('([0-9]{1,5}(h|m|s|ms)){1,4}');
export const prometheusDuration = matching('[1-9][0-9]*(s|m)');

/** Key of a secret; not `.` or what begins with `..`. */
export const key = matching('([-_a-zA-Z0-9]|\\.[-_a-zA-Z0-9])[-._a-zA-Z0-9]*')
  .max(MAX_SUBDOMAIN)
  .meta({ id: 'key' });
export const objectName = emptyOr(DNS_SUBDOMAIN).max(MAX_SUBDOMAIN).meta({ id: 'objectName' });
export const namespace = emptyOr(DNS_LABEL).meta({ id: 'namespace' });
export const host = emptyOr(`(${DNS_LABEL}\\.)+[a-z]([-a-z0-9]{0,61}[a-z0-9])?`).max(MAX_SUBDOMAIN);
export const hosts = z.array(matching(HOST).max(MAX_SUBDOMAIN)).max(16);
const cidrV4 = `${IPV4}/(3[0-2]|[12]?[0-9])`;
const cidrV6 = `${IPV6}/(12[0-8]|1[01][0-9]|[1-9]?[0-9])`;
const cidr = matching(`(${cidrV4}|${cidrV6})`).meta({ id: 'cidr' });
export const cidrs = z.array(cidr).meta({ id: 'cidrs' });
/** Parts of `0.0.0.0/0`. */
export const cidrsV4 = z.array(matching(`${IPV4}/(3[0-2]|[12][0-9]|[1-9])`));
/** Parts of `2000::/3`. */
export const cidrsV6 = z.array(matching(cidrV6).regex(/^[23][0-9A-Fa-f]{3}:.*\/([1-9][0-9]+|[4-9])$/));
export const ports = z.array(z.int().min(1).max(65_535)).min(1).meta({ id: 'ports' });
export const imageTag = emptyOr('[A-Za-z0-9_][A-Za-z0-9._-]{0,127}(@sha256:[0-9a-f]{64})?')
  .nullable()
  .meta({ id: 'imageTag' });
export const day = emptyOr('[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])');
export const digest = emptyOr('sha256:[0-9a-f]{64}');
const PATH_PART = '[a-z0-9]+((\\.|_|__|-+)[a-z0-9]+)*';
const REGISTRY = '[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?(\\.[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?)*';
/** Repository of an image, as container engines read it: without a scheme, tag or digest. */
export const repository = matching(
  `((${REGISTRY}|\\[[0-9A-Fa-f:]+\\])(:[0-9]{1,5})?/)?${PATH_PART}(/${PATH_PART})*`,
).max(255);
/** Part of an object's name that leaves room for what the chart appends. */
export const namePart = (length: number) => emptyOr(`[a-z0-9]([-a-z0-9]{0,${length - 2}}[a-z0-9])?`);

export function whole(min: number, max: number, unit?: string) {
  const number = z.int().min(min).max(max);
  return unit === undefined ? number : number.meta({ unit });
}

/** Additional environment variables: each has a value, or where it comes from. */
export const variables = z.array(
  z
    .strictObject({
      name: matching('[A-Za-z_][A-Za-z0-9_]*'),
      value: z.string().optional(),
      valueFrom: z
        .strictObject({
          configMapKeyRef: object.optional(),
          secretKeyRef: object.optional(),
          fieldRef: object.optional(),
          resourceFieldRef: object.optional(),
        })
        .meta({ minProperties: 1, maxProperties: 1 })
        .optional(),
    })
    .meta({ not: { required: ['value', 'valueFrom'] } }),
);

const volumeName = matching(DNS_LABEL);
export const volumes = z.array(
  z.looseObject({ name: volumeName }).meta({ minProperties: 2, maxProperties: 2 }),
);
/** Relative, and no part is `..`. */
const SUB_PATH_PART = '(\\.{0,2}[^/.][^/]*|\\.{3,}[^/]*|\\.)';
const subPath = matching(`${SUB_PATH_PART}(/${SUB_PATH_PART})*`);
export const volumeMounts = z.array(
  z.strictObject({
    name: volumeName,
    mountPath: z.string().regex(/^\/[^:]+$/),
    readOnly: flag.optional(),
    subPath: subPath.optional(),
  }),
);

const selector = z
  .strictObject({
    matchLabels: labels.optional(),
    matchExpressions: z
      .array(
        z
          .strictObject({
            key: labelName,
            operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
            values: z.array(labelValue).optional(),
          })
          .meta({
            if: { properties: { operator: { enum: ['In', 'NotIn'] } } },
            then: { required: ['values'], properties: { values: { minItems: 1 } } },
            else: { properties: { values: { maxItems: 0 } } },
          }),
      )
      .optional(),
  })
  .meta({ id: 'selector' });
const policyPeers = z
  .array(
    z.union([
      z.strictObject({ ipBlock: z.strictObject({ cidr, except: cidrs.optional() }) }),
      z
        .strictObject({ podSelector: selector.optional(), namespaceSelector: selector.optional() })
        .meta({ minProperties: 1 }),
    ]),
  )
  .meta({ id: 'policyPeers' });
/** It has a letter, unlike a number. */
const portName = matching('[a-z0-9]+(-[a-z0-9]+)*').max(15).regex(/[a-z]/);
const policyPorts = z
  .array(
    z
      .strictObject({
        protocol: z.enum(['TCP', 'UDP', 'SCTP']).optional(),
        port: z.union([z.int().min(1).max(65_535), portName]).optional(),
        endPort: z.int().min(1).max(65_535).optional(),
      })
      .meta({
        if: { required: ['endPort'] },
        then: { required: ['port'], properties: { port: { type: 'integer' } } },
      }),
  )
  .meta({ id: 'policyPorts' });
export const ingressRules = z.array(
  z.strictObject({ from: policyPeers.optional(), ports: policyPorts.optional() }),
);
export const egressRules = z.array(
  z.strictObject({ to: policyPeers.optional(), ports: policyPorts.optional() }),
);

export const parentRefs = z
  .array(
    z.strictObject({
      group: z.string().max(MAX_SUBDOMAIN).optional(),
      kind: matching('[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?').optional(),
      name,
      namespace: matching(DNS_LABEL).optional(),
      sectionName: name.optional(),
      port: z.int().min(1).max(65_535).optional(),
    }),
  )
  .max(32);

export const sessionPersistence = z
  .strictObject({
    sessionName: z.string().max(128).optional(),
    absoluteTimeout: gatewayDuration.optional(),
    idleTimeout: gatewayDuration.optional(),
    type: z.enum(['Cookie', 'Header']).optional(),
    cookieConfig: z.strictObject({ lifetimeType: z.enum(['Session', 'Permanent']).optional() }).optional(),
  })
  .meta({
    if: { required: ['cookieConfig'], properties: { cookieConfig: is({ lifetimeType: 'Permanent' }) } },
    then: { required: ['absoluteTimeout'] },
  });

export function resourcesValues(defaults: PodResources) {
  return z.strictObject({
    requests: group('What the scheduler reserves.', {
      cpu: cpu.default(defaults.cpu).describe('Requested CPU.'),
      memory: memory.default(defaults.memory).describe('Requested memory.'),
    }),
    limits: group('Limits. None for CPU, which would only slow a pod down beside an idle CPU.', {
      memory: memory.default(defaults.memoryLimit).describe('Memory limit.'),
    }),
  });
}
