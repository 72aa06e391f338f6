import type { IContainer } from 'kubernetes-models/v1';

/** The source of the value of a container's variable. */
export type VariableSource =
  | { readonly from: 'value'; readonly value: string }
  | { readonly from: 'secret'; readonly name: string; readonly key: string; readonly optional: boolean };

/** Returns the variables of a container. */
export function environmentOf({ env = [] }: IContainer): ReadonlyMap<string, VariableSource> {
  return new Map(
    env.map(({ name: variable, value = '', valueFrom }): [string, VariableSource] => {
      if (valueFrom?.secretKeyRef === undefined) return [variable, { from: 'value', value }];
      const { name = '', key, optional = false } = valueFrom.secretKeyRef;
      return [variable, { from: 'secret', name, key, optional }];
    }),
  );
}

/** Returns the text of a variable that is not secret; undefined if it is not set. */
export function textOf(variables: ReadonlyMap<string, VariableSource>, name: string): string | undefined {
  const source = variables.get(name);
  return source === undefined || source.from === 'secret' ? undefined : source.value;
}
