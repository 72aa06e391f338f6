import { z } from 'zod';

/** Maximum entries of a page for operators; absent: 50. */
export const pageSize = z.int().min(1).max(100).optional();
