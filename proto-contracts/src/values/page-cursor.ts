import { z } from 'zod';

export const pageCursor = z
  .string()
  .max(200)
  .optional()
  .meta({ description: 'The `nextCursor` of an earlier response.' });
