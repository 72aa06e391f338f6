import { randomBytes } from 'node:crypto';
import { TECHNICAL_CONTACT_LIMITS } from '@partner/proto-contracts/resources/technical-contact/technical-contact';
import { tokenSha256 } from '../security/token-sha256.js';
import type { Mail } from './mail.js';

/**
 * Creates a link that confirms an email address, and the email with it. The token is in the fragment of the link.
 * Browsers never send the fragment to a server, so access logs do not contain it.
 */
export function createTechnicalContactLink(options: {
  readonly publicBaseUrl: string;
  readonly companyName: string;
  readonly email: string;
}): { readonly link: string; readonly tokenSha256: string; readonly mail: Mail } {
  const token = randomBytes(32).toString('base64url');
  const link = `${options.publicBaseUrl.replace(/\/$/, '')}/console/technical-contact/confirm#${token}`;
  const days = TECHNICAL_CONTACT_LIMITS.confirmationHours / 24;
  return {
    link,
    tokenSha256: tokenSha256(token),
    mail: {
      to: options.email,
      subject: 'Confirm this address as technical contact',
      text: `${options.companyName} has named this address as the technical contact for the partner API.
It will receive announcements of new versions and changes of the API.

Open this link within ${days} days to confirm the address:

${link}

If you didn't expect this email, ignore it. The address is used only after you open the link.
`,
    },
  };
}
