import { defineInternalOperation } from '../../api/operation.js';
import { colleague, colleagueIn } from '../../resources/colleague/colleague.js';
import { sha256Hex } from './sha256-hex.js';

/** Adds a person to the caller's company, with the link that the console mails as an invitation. */
export const inviteColleagueOperation = defineInternalOperation({
  id: 'inviteColleague',
  // A repeat ends the link.
  repeatable: false,
  input: colleagueIn.extend({ tokenSha256: sha256Hex }),
  output: colleague,
});
