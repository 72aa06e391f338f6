import { z } from 'zod';

/** One request as the example receiver has logged it: one JSON line of its log file. */
export const receivedRequest = z.object({
  receivedAt: z.iso.datetime({ precision: 3 }),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  /** Base64 of the raw bytes. */
  body: z.string(),
  /** Null: no secret of the version that the request names is known for its path. */
  verified: z.boolean().nullable(),
  /** True when the same event was accepted on the same path before. */
  duplicate: z.boolean(),
  /** What the receiver answered. */
  status: z.int(),
  /** Why it was not verified. */
  problem: z.string().nullable(),
});

export type ReceivedRequest = z.infer<typeof receivedRequest>;
