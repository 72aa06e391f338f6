import { z } from 'zod';

const DNS_LABEL = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';

/** A text that matches a pattern, or is empty. */
const emptyOr = (pattern: string) => z.string().regex(new RegExp(`^(${pattern})?$`));

/** Values below a name. */
export const group = <Fields extends z.ZodRawShape>(description: string, fields: Fields) =>
  z.strictObject(fields).describe(description);
export const flag = z.boolean();
export const text = z.string();

/** Name of a label or annotation, with an optional prefix. */
const labelName = z
  .string()
  .regex(/^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/);
export const labels = z.record(
  labelName,
  z.string().regex(/^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/),
);
export const annotations = z.record(labelName, z.string());
/** A list or an object whose fields Kubernetes validates. */
export const objects = z.array(z.looseObject({}));
export const object = z.looseObject({});
export const tolerations = z.array(
  z.looseObject({
    operator: z.enum(['Exists', 'Equal']).optional(),
    effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']).optional(),
  }),
);
export const affinity = z.strictObject({
  nodeAffinity: object.optional(),
  podAffinity: object.optional(),
  podAntiAffinity: object.optional(),
});

/** Cpu of a container, e.g. `100m`. */
export const cpu = z.union([z.string().regex(/^[0-9]+(\.[0-9]+)?m?$/), z.int().min(0)]);
/** Memory of a container, e.g. `256Mi`. */
export const memory = z.string().regex(/^[0-9]+(\.[0-9]+)?(Mi|Gi)$/);
/** Number of pods, or a percentage of the replicas. */
export const surge = z.union([z.int().min(1).max(100), z.string().regex(/^[1-9][0-9]{0,2}%$/)]);
/** Duration of the Gateway API, e.g. `1m30s`. */
export const gatewayDuration = z.string().regex(/^([0-9]{1,5}(h|m|s|ms)){1,4}$/);
/** Duration of Prometheus, e.g. `30s`. */
export const prometheusDuration = z.string().regex(/^[0-9]+(s|m)$/);

export const key = z.string().regex(/^[-._a-zA-Z0-9]+$/);
export const objectName = emptyOr('[a-z0-9]([-.a-z0-9]*[a-z0-9])?');
export const namespace = emptyOr(DNS_LABEL);
export const host = emptyOr('([a-z0-9]([a-z0-9-]*[a-z0-9])?\\.)+[a-z0-9]([a-z0-9-]*[a-z0-9])?');
export const hosts = z.array(
  z.string().regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/),
);
export const cidrs = z.array(z.string().regex(/^[0-9A-Fa-f.:]+\/\d{1,3}$/));
export const ports = z.array(z.int().min(1).max(65_535)).min(1);
export const imageTag = emptyOr('[A-Za-z0-9_][A-Za-z0-9._-]{0,127}(@sha256:[0-9a-f]{64})?').nullable();
export const day = emptyOr('[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])');
export const digest = emptyOr('sha256:[0-9a-f]{64}');
export const repository = z
  .string()
  .min(1)
  .regex(/^[a-z0-9]([a-zA-Z0-9._:/-]*[a-zA-Z0-9])?$/);
/** Part of an object's name that leaves room for what the chart appends. */
export const namePart = (length: number) => emptyOr(`[a-z0-9]([-a-z0-9]{0,${length - 2}}[a-z0-9])?`);

/** A whole number within bounds. */
export function whole(min: number, max: number, unit?: string) {
  const number = z.int().min(min).max(max);
  return unit === undefined ? number : number.meta({ unit });
}
