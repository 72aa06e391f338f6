import type { INetworkPolicySpec } from 'kubernetes-models/networking.k8s.io/v1';
import { z } from 'zod';

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
