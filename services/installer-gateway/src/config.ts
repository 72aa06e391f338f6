import { commonConfig, httpConfig } from '@partner/kernel/config';
import { z } from 'zod';

/** Settings of installer-gateway. */
export const config = z.object({
  ...commonConfig,
  ...httpConfig,
  CURSOR_SIGNING_KEY: z
    .string()
    .transform((text, context) => {
      const key = Buffer.from(text, 'base64');
      if (key.length === 32 && key.toString('base64') === text) return key;
      context.addIssue({ code: 'custom', message: 'must be 32 bytes in base64' });
      return z.NEVER;
    })
    .meta({
      description: 'Key that signs cursors: 32 bytes in base64. A new key invalidates all cursors.',
      isSecret: true,
    }),
});
