import { z } from 'zod';
import { defineInternalOperation } from '../../api/operation.js';
import { sha256Hex } from './sha256-hex.js';

/** Finds the company and the rights of an API key. Fails with the same `unauthenticated` for every key that is not valid. */
export const authenticateKeyOperation = defineInternalOperation({
  id: 'authenticateKey',
  // A repeat only updates the time of last use.
  repeatable: true,
  input: z.object({
    keyId: z.string(),
    /** SHA-256 of the secret part, in hexadecimal. */
    secretSha256: sha256Hex,
  }),
  output: z.object({
    companyId: z.string(),
    /** A gateway refuses a key whose class or kind it does not know. */
    companyClass: z.string(),
    kind: z.string(),
    /** For an installer-contractor key: the installer company that it is bound to. */
    boundCompanyId: z.string().optional(),
    /** The company's own rate limit for installer requests; absent: the default. */
    installerRequestsPerMinute: z.int().optional(),
    /** The networks in CIDR notation from which the key may be used; absent: all. */
    networks: z.array(z.string()).optional(),
    /** Sandbox only: the fault script of the key. */
    faults: z.unknown().optional(),
  }),
});
