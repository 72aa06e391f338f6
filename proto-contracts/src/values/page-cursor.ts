import { z } from 'zod';

/** The `cursor` of a list. */
export const pageCursor = z
  .string()
  .max(200)
  .optional()
  .meta({ description: 'The `nextCursor` of an earlier response.' });
