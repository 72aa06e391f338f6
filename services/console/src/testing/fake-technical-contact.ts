import type { ServiceImpl } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type { TechnicalContact } from '@partner/proto-contracts/resources/technical-contact/technical-contact';
import { notFound } from '@partner/kernel/service-error';
import { resourceResponse } from './resource-response.js';

type ContactMethods = Pick<
  ServiceImpl<typeof AccessService>,
  'getTechnicalContact' | 'requestTechnicalContact' | 'confirmTechnicalContact'
>;

/** Creates the methods for technical contacts, over in-memory data. */
export function createFakeContactMethods(now: Date): ContactMethods {
  const contacts = new Map<string, TechnicalContact>();
  const tokens = new Map<string, TechnicalContact>();

  function contactOf(companyId = ''): TechnicalContact {
    const contact = contacts.get(companyId) ?? { email: null, confirmedAt: null, pending: null };
    contacts.set(companyId, contact);
    return contact;
  }

  const nameOf = (tokenSha256: Uint8Array = new Uint8Array()) => Buffer.from(tokenSha256).toString('hex');

  return {
    getTechnicalContact: ({ companyId }) => resourceResponse(contactOf(companyId)),
    requestTechnicalContact: ({ companyId, email = '', tokenSha256 }) => {
      const contact = contactOf(companyId);
      contact.pending = { email, expiresAt: formatDateTime(now) };
      tokens.set(nameOf(tokenSha256), contact);
      return resourceResponse(contact);
    },
    confirmTechnicalContact: ({ tokenSha256 }) => {
      const contact = tokens.get(nameOf(tokenSha256));
      if (contact === undefined) throw notFound('pending technical contact');
      tokens.delete(nameOf(tokenSha256));
      contact.email = contact.pending?.email ?? null;
      contact.confirmedAt = formatDateTime(now);
      contact.pending = null;
      return {};
    },
  };
}
