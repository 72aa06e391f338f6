import { z } from 'zod';
import { defineInternalOperation } from '../../api/operation.js';

/** Records in the audit trail that a session of the calling owner began, ended or was confirmed. */
export const recordSessionChangeOperation = defineInternalOperation({
  id: 'recordSessionChange',
  // A repeat would record it twice.
  repeatable: false,
  input: z.object({
    change: z.enum(['started', 'ended', 'confirmed']),
    /** The public id, never the token. */
    sessionId: z.string(),
    /** The identity provider that proved who the owner is; absent: the password. */
    issuer: z.string().optional(),
  }),
  output: z.object({}),
});
