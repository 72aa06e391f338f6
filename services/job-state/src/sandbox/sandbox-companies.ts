import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { createApiKey } from '@partner/kernel/security/api-key';
import { stableBytes, stableId } from './stable-id.js';

/** Start of the sandbox's data: its companies joined at this time. */
export const SANDBOX_START = new Date('2025-11-10T13:00:00.000Z');

/** A company of the sandbox. The secrets of its keys are public: they follow from this source. */
export type SandboxCompany = ReturnType<typeof company>;

/** The sandbox's companies: two sellers, two installers and one accountant. Deterministic. */
export function sandboxCompanies(): readonly SandboxCompany[] {
  const summit = companyId('summit');
  const harbor = companyId('harbor');
  return [
    company(
      'sunrise',
      'Sunrise Home Energy',
      'SALES',
      'Rosa Delgado',
      [],
      ['general', ['installer-contractor', summit]],
    ),
    company(
      'blueridge',
      'Blue Ridge Comfort',
      'SALES',
      'Walter Quinn',
      [],
      ['general', ['installer-contractor', harbor]],
    ),
    company(
      'summit',
      'Summit Installers',
      'INSTALLER',
      'Dana Whitfield',
      ['Ana Moreno', 'Luis Ortega', 'Priya Nair', 'Tom Becker'],
      ['installer-company'],
    ),
    company(
      'harbor',
      'Harbor Mechanical',
      'INSTALLER',
      'Ken Okafor',
      ['Mia Larsen', 'Omar Haddad', 'Grace Lin', 'Sam Whittle'],
      ['installer-company'],
    ),
    company('ledgerline', 'Ledgerline Accounting', 'ACCOUNTING', 'Helen Brandt', [], []),
  ];
}

function companyId(label: string): string {
  return stableId('cmp', label, SANDBOX_START);
}

function company(
  label: string,
  name: string,
  companyClass: CompanyClassName,
  ownerName: string,
  technicianNames: readonly string[],
  keys: readonly ('general' | 'installer-company' | readonly ['installer-contractor', string])[],
) {
  return {
    id: companyId(label),
    name,
    class: companyClass,
    owner: {
      membershipId: stableId('mem', `${label} owner`, SANDBOX_START),
      displayName: ownerName,
      email: `owner@${label}.example`,
      password: `${label}-sandbox-owner`,
    },
    technicians: technicianNames.map((displayName, index) => ({
      membershipId: stableId('mem', `${label} technician ${index}`, SANDBOX_START),
      displayName,
      active: index < technicianNames.length - 1,
    })),
    keys: keys.map((given) => {
      const [kind, boundCompanyId] = typeof given === 'string' ? [given] : given;
      const key = createApiKey('sandbox', {
        keyId: stableId('key', `${label} ${kind}`, SANDBOX_START),
        random: stableBytes(`key ${label} ${kind}`, 128),
      });
      return { kind, key, boundCompanyId };
    }),
  };
}
