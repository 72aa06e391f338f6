import { z } from 'zod';
import { CURRENT_API_VERSION } from '../api/versions.js';

export const apiVersion = z.string().meta({
  description: 'The API version date of this response, as in the header `x-svc-api-version`.',
  examples: [CURRENT_API_VERSION],
});
