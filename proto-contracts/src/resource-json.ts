import type { z } from 'zod';

/** A response that carries a public resource as JSON text for the client. */
export interface ResourceResponse {
  readonly resourceJson?: string | undefined;
}

/** Parses the public resource in a response with its schema. Throws if the response has none. */
export function readResource<Schema extends z.ZodType>(
  schema: Schema,
  { resourceJson }: ResourceResponse,
): z.output<Schema> {
  return schema.parse(JSON.parse(resourceJson ?? ''));
}
