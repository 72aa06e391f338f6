import { z } from 'zod';

/**
 * The version of a resource that a writer has read. Any integer from 1 is one, however large: it is stale when the resource
 * is at another.
 */
export const expectedVersion = z.int().min(1).meta({
  description:
    'The `version` of the job that you have read. Another one than the present is answered with 409 `stale_version`.',
});

const GREATEST_INT32 = 2_147_483_647;

/** An expected version in the width that versions have between the services. No resource ever gets to the greatest. */
export function expectedVersionOnTheWire(version: number): number {
  return Math.min(version, GREATEST_INT32);
}
