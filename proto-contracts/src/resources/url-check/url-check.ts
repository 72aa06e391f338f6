import { z } from 'zod';

/** Body of `POST /partner-api/url-checks`. */
export const urlCheckIn = z
  .object({ url: z.string().meta({ description: 'As it would be given to a new subscription.' }) })
  .meta({ id: 'UrlCheckIn', description: 'A URL that a subscription might have.' });

/**
 * Response of `POST /partner-api/url-checks`.
 *
 * Visible to the caller alone; nothing is stored.
 */
export const urlCheck = z
  .object({
    ok: z.boolean().meta({ description: 'True when a subscription can have the URL.' }),
    reason: z.string().optional().meta({
      description: 'Only if it cannot: why, with the message that a creation has for `url`.',
    }),
  })
  .meta({ id: 'UrlCheck', description: 'Whether a subscription can have a URL.' });
