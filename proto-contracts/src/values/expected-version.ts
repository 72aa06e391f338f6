import { z } from 'zod';

/**
 * The version of a resource that the caller has read. Any integer from 1 is valid; it is stale if the resource has
 * another version.
 */
export const expectedVersion = z.int().min(1).meta({
  description:
    'The `version` of the job that you have read. If it is not the current one, the response is 409 `stale_version`.',
});
