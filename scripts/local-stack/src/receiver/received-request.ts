import { z } from 'zod';

/** One request as the example receiver has logged it: one JSON line of its log file. */
export const receivedRequest = z.object({
  receivedAt: z.iso.datetime({ precision: 3 }),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  /** The raw bytes: as text if they are UTF-8, else in base64. */
  body: z.string(),
  bodyEncoding: z.enum(['utf8', 'base64']),
  /** Null: the receiver has no secret of the request's version for its path. */
  verified: z.boolean().nullable(),
  /** True when the same event was accepted on the same path before. */
  duplicate: z.boolean(),
  status: z.int(),
  problem: z.string().nullable(),
});

export type ReceivedRequest = z.infer<typeof receivedRequest>;

export function bytesOf({ body, bodyEncoding }: Pick<ReceivedRequest, 'body' | 'bodyEncoding'>): Buffer {
  return Buffer.from(body, bodyEncoding);
}
