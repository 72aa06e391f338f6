import { z } from 'zod';
import { defineInternalOperation } from '../../api/operation.js';

/** Applies the URL rules and resolves the host once (spec: Subscription URL rules). */
export const checkEndpointOperation = defineInternalOperation({
  id: 'checkEndpoint',
  repeatable: true,
  input: z.object({ url: z.string() }),
  output: z.union([
    /** Deliveries may be sent there; this form is stored. */
    z.object({ normalizedUrl: z.string() }),
    /** The reason, in words for the owner. Reveals nothing about the address. */
    z.object({ refusal: z.string() }),
  ]),
});

export type EndpointVerdict = z.infer<typeof checkEndpointOperation.output>;
