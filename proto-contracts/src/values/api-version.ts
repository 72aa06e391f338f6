import { z } from 'zod';
import { CURRENT_API_VERSION } from '../api/versions.js';

export const apiVersion = z.string().meta({
  description: 'The API version date of this response, as in the header `x-svc-api-version`.',
  examples: [CURRENT_API_VERSION],
});

/** The response of the installer API that the inbound API has without a version; `id` names its schema. */
export function versioned<Shape extends z.core.$ZodLooseShape, Response extends { readonly example: object }>(
  response: Response & { readonly schema: z.ZodObject<Shape> },
  id: string,
  description = response.schema.meta()?.description,
) {
  return {
    ...response,
    schema: z.object({ apiVersion, ...response.schema.shape }).meta({ id, description }),
    example: { apiVersion: CURRENT_API_VERSION, ...response.example },
  };
}
