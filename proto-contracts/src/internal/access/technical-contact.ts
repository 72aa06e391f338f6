import { z } from 'zod';
import { defineInternalOperation } from '../../api/operation.js';
import { technicalContact, technicalContactIn } from '../../resources/technical-contact/technical-contact.js';
import { sha256Hex } from './sha256-hex.js';

/** Makes an address of the caller's company pending, with the token of the link that was mailed to it. */
export const requestTechnicalContactOperation = defineInternalOperation({
  id: 'requestTechnicalContact',
  // A repeat adds an entry to the audit trail.
  repeatable: false,
  input: technicalContactIn.extend({ tokenSha256: sha256Hex }),
  output: technicalContact,
});

/** Confirms the pending address of a token. Fails with `not_found` for a token that does not work. */
export const useTechnicalContactTokenOperation = defineInternalOperation({
  id: 'useTechnicalContactToken',
  // A token works once.
  repeatable: false,
  input: z.object({ tokenSha256: sha256Hex }),
  output: z.object({}),
});
