import { z } from 'zod';
import { defineInternalOperation } from '../../api/operation.js';

/** Stores what arrived at the test receiver of a company, and whether its signature holds. Of the sandbox. */
export const recordTestRequestOperation = defineInternalOperation({
  id: 'recordTestRequest',
  repeatable: false,
  input: z.object({
    companyId: z.string(),
    headers: z.record(z.string(), z.string()),
    bodyBase64: z.string(),
  }),
  output: z.object({}),
});
