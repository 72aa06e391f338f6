import { z } from 'zod';
import { type Container, kubernetesObject } from '../kubernetes-object.js';
import { ofKind, type RenderedChart } from './deployment-rule.js';

/** Where a variable of a container gets its value. */
export type VariableSource =
  | { readonly from: 'value'; readonly value: string }
  | { readonly from: 'config-map'; readonly name: string; readonly value: string }
  | { readonly from: 'secret'; readonly name: string; readonly key: string; readonly optional: boolean };

const configMap = kubernetesObject.extend({ data: z.record(z.string(), z.string()).default({}) });

/**
 * The variables of a container, those of its config maps included. Throws when a config map is none of the chart's, or when
 * a whole secret is taken, which would let anything in.
 */
export function environmentOf(
  container: Container,
  rendered: Pick<RenderedChart, 'objects'>,
): ReadonlyMap<string, VariableSource> {
  const maps = new Map(ofKind(rendered, 'ConfigMap', configMap).map((map) => [map.metadata.name, map.data]));
  const dataOf = (name: string) => {
    const data = maps.get(name);
    if (data === undefined) throw new Error(`container ${container.name} needs a ConfigMap ${name}`);
    return data;
  };
  const variables = new Map<string, VariableSource>();
  for (const { configMapRef, secretRef } of container.envFrom) {
    if (secretRef !== undefined) throw new Error(`container ${container.name} takes all of a secret`);
    const name = configMapRef?.name ?? '';
    for (const [variable, value] of Object.entries(dataOf(name))) {
      variables.set(variable, { from: 'config-map', name, value });
    }
  }
  for (const { name: variable, value = '', valueFrom } of container.env) {
    const { secretKeyRef, configMapKeyRef } = valueFrom ?? {};
    if (secretKeyRef !== undefined) {
      const { name, key, optional = false } = secretKeyRef;
      variables.set(variable, { from: 'secret', name, key, optional });
    } else if (configMapKeyRef !== undefined) {
      const { name, key } = configMapKeyRef;
      variables.set(variable, { from: 'config-map', name, value: dataOf(name)[key] ?? '' });
    } else if (valueFrom === undefined) {
      variables.set(variable, { from: 'value', value });
    }
  }
  return variables;
}

/** The text of a variable that is no secret; undefined when it is not set. */
export function textOf(variables: ReadonlyMap<string, VariableSource>, name: string): string | undefined {
  const source = variables.get(name);
  return source === undefined || source.from === 'secret' ? undefined : source.value;
}
