import { leadCreated, leadMerged } from '@partner/proto-contracts/public-api/lead';
import { createApiKey } from '@partner/kernel/api-key';
import { newId } from '@partner/kernel/ids';
import type { KeyKindName } from '@partner/proto-contracts/public-api/scopes';
import { addCompany } from '../support/limited-company.js';
import { assignNewJob } from '../support/platform-job.js';
import type { TestStack } from '../support/test-stack.js';
import { send } from './send.js';

/** A seller and an installer company that work together, with a valid key of each kind and what they own. */
export interface SurfaceSide {
  readonly sellerId: string;
  readonly installerId: string;
  readonly keys: Readonly<Record<KeyKindName, string>>;
  /** Technicians of the installer company; all but the last are active. */
  readonly technicianIds: readonly string[];
  /** Sold by the seller, assigned to the installer company. */
  readonly jobId: string;
  readonly leadId: string;
  /** The project of the lead. */
  readonly projectId: string;
}

const TECHNICIANS = 22;

/** Makes both companies and everything that a valid request of any operation needs. */
export async function createSurfaceSide(stack: TestStack): Promise<SurfaceSide> {
  const installer = await addCompany(stack.database, {
    class: 'INSTALLER',
    keys: ['installer-company'],
    installerRequestsPerMinute: 1_000_000,
  });
  const seller = await addCompany(stack.database, {
    class: 'SALES',
    keys: ['general', 'installer-contractor'],
    boundCompanyId: installer.id,
  });
  const [general = '', contractor = ''] = seller.apiKeys;
  const [installerKey = ''] = installer.apiKeys;
  const technicianIds: string[] = [];
  for (let number = 1; number <= TECHNICIANS; number += 1) {
    const id = newId('mem');
    await stack.database.query(
      `insert into memberships (id, company_id, role, display_name, active) values ($1, $2, 'TECHNICIAN', $3, $4)`,
      [id, installer.id, `Technician ${String(number).padStart(2, '0')}`, number < TECHNICIANS],
    );
    technicianIds.push(id);
  }
  const job = await assignNewJob(stack, {
    sellingCompanyId: seller.id,
    installerCompanyId: installer.id,
    installerKey,
  });
  const postLead = () =>
    send(stack.baseUrl, {
      method: 'POST',
      path: '/inbound/leads',
      headers: { 'x-api-key': general },
      json: { fullName: 'Ada Quill', email: 'ada@example.com', phone: '555-0100', address: seller.id },
    });
  const { leadId } = leadCreated.parse((await postLead()).json);
  const { projectId } = leadMerged.parse((await postLead()).json);
  return {
    sellerId: seller.id,
    installerId: installer.id,
    keys: { general, 'installer-contractor': contractor, 'installer-company': installerKey },
    technicianIds,
    jobId: job.id,
    leadId,
    projectId,
  };
}

/** Adds a key of any state to a company and gives its text. */
export async function addKey(
  stack: Pick<TestStack, 'database'>,
  key: {
    readonly companyId: string;
    readonly kind: KeyKindName;
    readonly boundCompanyId?: string;
    readonly environment?: 'sandbox' | 'production';
    readonly revoked?: boolean;
    readonly expired?: boolean;
  },
): Promise<string> {
  const made = createApiKey(key.environment ?? 'sandbox');
  await stack.database.query(
    `insert into api_keys (id, company_id, kind, bound_company_id, secret_sha256, last_four, revoked_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, case when $7 then now() end, case when $8 then now() end)`,
    [
      made.keyId,
      key.companyId,
      key.kind,
      key.kind === 'installer-contractor' ? key.boundCompanyId : null,
      made.secretSha256,
      made.lastFour,
      key.revoked ?? false,
      key.expired ?? false,
    ],
  );
  return made.text;
}
