import { z } from 'zod';
import { defineInternalOperation } from '../../api/operation.js';
import { serviceStatus } from '../../resources/service-status/service-status.js';

/** Measures whether the service works. The status is public, so the call is made for no company. */
export const measureServiceStatusOperation = defineInternalOperation({
  id: 'measureServiceStatus',
  repeatable: true,
  input: z.object({}),
  output: serviceStatus,
});
