import type { z } from 'zod';

/** A response that carries a public resource as the JSON text that clients get. */
export interface ResourceResponse {
  readonly resourceJson?: string | undefined;
}

/** Reads the public resource in a response by its schema. Throws for a response without one. */
export function readResource<Schema extends z.ZodType>(
  schema: Schema,
  { resourceJson }: ResourceResponse,
): z.output<Schema> {
  return schema.parse(JSON.parse(resourceJson ?? ''));
}
