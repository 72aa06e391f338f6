import { leadCreated, leadMerged } from '@partner/proto-contracts/resources/lead/lead';
import type { KeyKindName } from '@partner/proto-contracts/api/scopes';
import { addCompany } from '@partner/local-stack/stack/add-company';
import { addTechnicians } from '../support/companies.js';
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

export async function createSurfaceSide(stack: TestStack): Promise<SurfaceSide> {
  const installer = await addCompany(stack.database, {
    class: 'INSTALLER',
    keys: ['installer-company', 'automation'],
    installerRequestsPerMinute: 1_000_000,
  });
  const seller = await addCompany(stack.database, {
    class: 'SALES',
    keys: ['general', 'installer-contractor'],
    boundCompanyId: installer.id,
  });
  const [general = '', contractor = ''] = seller.apiKeys;
  const [installerKey = '', automation = ''] = installer.apiKeys;
  const technicianIds = await addTechnicians(stack.database, installer.id, TECHNICIANS);
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
      body: { fullName: 'Ada Quill', email: 'ada@example.com', phone: '555-0100', address: seller.id },
    });
  const { leadId } = leadCreated.parse((await postLead()).json);
  const { projectId } = leadMerged.parse((await postLead()).json);
  return {
    sellerId: seller.id,
    installerId: installer.id,
    keys: { general, 'installer-contractor': contractor, 'installer-company': installerKey, automation },
    technicianIds,
    jobId: job.id,
    leadId,
    projectId,
  };
}
