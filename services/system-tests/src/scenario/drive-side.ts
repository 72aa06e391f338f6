import {
  MembershipChangedSchema,
  MembershipRole,
} from '@partner/proto-contracts/gen/partner/platform/v1/company_messages_pb';
import { newId } from '@partner/kernel/process/ids';
import { createScenarioCompany, type ScenarioCompany, type ScenarioDeps } from './company.js';
import { changeJob, doJob, loseJobs, noteOnJob, sellJob } from './installation.js';
import { bookAppointments, handInLeads, publishJournal, publishSales } from './sales.js';
import { anInstant, createStage, PLATFORM, type Stage } from './stage.js';

/** A seller, an installer and an accounting company that work together, after every event has occurred. */
export interface ScenarioSide {
  readonly seller: ScenarioCompany;
  readonly installer: ScenarioCompany;
  readonly accountant: ScenarioCompany;
  readonly keys: { readonly general: string; readonly contractor: string; readonly installer: string };
  readonly jobId: string;
  readonly leadId: string;
  readonly projectId: string;
}

/** Creates the companies of a side and makes every event occur: each in every way in which it can. */
export async function driveSide(deps: ScenarioDeps, side: string): Promise<ScenarioSide> {
  const { stack } = deps;
  const [sellerWho, installerWho] = [`the seller of side ${side}`, `the installer of side ${side}`];
  const accountant = await createScenarioCompany(deps, {
    class: 'ACCOUNTING',
    who: `the accountant of side ${side}`,
  });
  const seller = await createScenarioCompany(deps, {
    class: 'SALES',
    who: sellerWho,
    accountingCompanyIds: [accountant.id],
    nameAt: [`api of ${installerWho}`],
  });
  const installer = await createScenarioCompany(deps, {
    class: 'INSTALLER',
    who: installerWho,
    nameAt: [`console of ${sellerWho}`],
  });
  await stack.database.query('update companies set installer_requests_per_minute = 1000000 where id = $1', [
    installer.id,
  ]);
  const stage = createStage(deps, side, { seller, installer, accountant });
  const technicianId = await addTechnician(stage);
  const general = await seller.makeKey('general');
  const installerKey = await installer.makeKey('installer-company');
  const lead = await handInLeads(stage, general);
  await bookAppointments(stage, general, lead);
  const jobId = await sellJob(stage, installerKey, lead.projectId);
  const contractor = await seller.makeKey('installer-contractor', installer.id);
  await changeJob(stage, installerKey, jobId);
  await doJob(stage, installerKey, jobId, technicianId);
  await noteOnJob(stage, contractor, jobId);
  await loseJobs(stage, installerKey, stack.company('INSTALLER').id);
  await publishSales(stage, lead.projectId);
  await publishJournal(stage, lead.projectId);
  const keys = { general, contractor, installer: installerKey };
  return { seller, installer, accountant, keys, jobId, ...lead };
}

async function addTechnician({ deps, publish, word, at, installer }: Stage): Promise<string> {
  const membershipId = newId('mem');
  const message = await publish(MembershipChangedSchema, {
    membershipId,
    version: 1,
    companyId: installer.id,
    role: MembershipRole.TECHNICIAN,
    displayName: `Technician ${word('name of the technician', at.installer)}`,
    email: `${word('email of the technician', PLATFORM)}@technicians.example`,
    active: true,
    occurredAt: anInstant(),
  });
  await deps.stack.messagesAreSettled([message]);
  return membershipId;
}
