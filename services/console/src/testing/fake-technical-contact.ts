import { create } from '@bufbuild/protobuf';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import {
  type AccessService,
  type TechnicalContact,
  TechnicalContactSchema,
} from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { notFound } from '@partner/kernel/service-error';

type ContactMethods = Pick<
  ServiceImpl<typeof AccessService>,
  'getTechnicalContact' | 'requestTechnicalContact' | 'confirmTechnicalContact'
>;

/** Makes the methods for technical contacts, which are kept in memory. */
export function createFakeContactMethods(now: Timestamp): ContactMethods {
  const contacts = new Map<string, TechnicalContact>();
  const tokens = new Map<string, TechnicalContact>();

  function contactOf(companyId = ''): TechnicalContact {
    const contact = contacts.get(companyId) ?? create(TechnicalContactSchema);
    contacts.set(companyId, contact);
    return contact;
  }

  const nameOf = (tokenSha256: Uint8Array = new Uint8Array()) => Buffer.from(tokenSha256).toString('hex');

  return {
    getTechnicalContact: ({ companyId }) => ({ contact: contactOf(companyId) }),
    requestTechnicalContact: ({ companyId, email, tokenSha256 }) => {
      const contact = contactOf(companyId);
      Object.assign(contact, { pendingEmail: email, pendingExpiresAt: now });
      tokens.set(nameOf(tokenSha256), contact);
      return { contact };
    },
    confirmTechnicalContact: ({ tokenSha256 }) => {
      const contact = tokens.get(nameOf(tokenSha256));
      if (contact === undefined) throw notFound('pending technical contact');
      tokens.delete(nameOf(tokenSha256));
      Object.assign(contact, { email: contact.pendingEmail, confirmedAt: now });
      delete contact.pendingEmail;
      return {};
    },
  };
}
