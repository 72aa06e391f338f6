import {
  CompanyClassSchema,
  MembershipRoleSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/company_messages_pb';
import { companyClass } from '@partner/proto-contracts/values/company-class';
import { emailAddress } from '@partner/proto-contracts/values/email-address';
import { z } from 'zod';
import { flag, id, instant, list, NAME_LENGTH, nameOf, text, version } from './message-fields.js';

const EMAIL_LENGTH = 254;

export const companyChanged = z
  .object({
    companyId: id('cmp'),
    version,
    name: text(NAME_LENGTH),
    class: nameOf(CompanyClassSchema, companyClass.options),
    accountingCompanyIds: list(id('cmp')).refine(
      (ids) => new Set(ids).size === ids.length,
      'holds a company twice',
    ),
    occurredAt: instant,
  })
  .refine((company) => company.class !== 'ACCOUNTING' || company.accountingCompanyIds.length === 0, {
    path: ['accountingCompanyIds'],
    message: 'holds companies, but an accounting company has no journal',
  });

export const membershipChanged = z
  .object({
    membershipId: id('mem'),
    version,
    companyId: id('cmp'),
    role: nameOf(MembershipRoleSchema, ['OWNER', 'TECHNICIAN']),
    displayName: text(NAME_LENGTH),
    email: text(EMAIL_LENGTH)
      .refine((address) => emailAddress.safeParse(address).success, 'is no email address')
      .optional(),
    active: flag,
    occurredAt: instant,
  })
  .refine(({ role, email }) => role !== 'OWNER' || email !== undefined, {
    path: ['email'],
    message: 'is missing',
  })
  .transform(({ role, email, ...membership }) => ({
    ...membership,
    role,
    /** Null for a technician. */
    email: role === 'OWNER' ? (email ?? null) : null,
  }));

/** The current state of a company, as the platform reports it. */
export type CompanyChangedCommand = z.infer<typeof companyChanged>;
/** The current state of a membership, as the platform reports it. */
export type MembershipChangedCommand = z.infer<typeof membershipChanged>;
