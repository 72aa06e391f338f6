import { z } from 'zod';

export const urlCheckIn = z
  .object({ url: z.string().meta({ description: 'The URL for a new subscription.' }) })
  .meta({ id: 'UrlCheckIn', description: 'A URL to check.' });

/** Visible to the caller alone; nothing is stored. */
export const urlCheck = z
  .object({
    ok: z.boolean().meta({ description: 'True if a subscription can have the URL.' }),
    reason: z.string().optional().meta({
      description: 'Only if it cannot: the reason, with the message of the creation for `url`.',
    }),
  })
  .meta({ id: 'UrlCheck', description: 'Whether a subscription can have a URL.' });
