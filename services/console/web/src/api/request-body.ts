import type { z } from 'zod';

type Immutable<T> = T extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Immutable<T[Key]> }
    : T;

/** The body of a request, typed by its schema. */
export type RequestBody<S extends z.ZodType> = Immutable<z.input<S>>;
