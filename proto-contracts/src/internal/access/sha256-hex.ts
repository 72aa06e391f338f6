import { z } from 'zod';

/** SHA-256 of a secret, in hexadecimal: a call holds no token and no recovery code itself. */
export const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal');
