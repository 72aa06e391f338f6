import { leadCreated, leadMerged } from '@partner/proto-contracts/public-api/lead';
import { type Asked, parseJson } from './asked.js';
import { describe } from './check-idempotency.js';
import type { FinalState } from './final-state.js';
import { PROJECT_PLACE_INDEX } from './places.js';
import type { World } from './world.js';

/**
 * Checks the leads (spec: Inbound, rule; decisions: Inbound): each address of a company has one lead, made by one submission
 * and keeping its fields; every other submission that was answered is recorded once and was told of the merge; nothing of
 * one company's leads is in another's.
 */
export function checkLeads(
  world: Pick<World, 'sellers' | 'jobs'>,
  all: readonly Asked[],
  final: Pick<FinalState, 'leads' | 'submissions'>,
): string[] {
  const faults: string[] = [];
  const explained = new Set<string>();
  for (const { id: companyId } of world.sellers) {
    const places = new Map<number, Asked[]>();
    for (const asked of all) {
      const { write, caller } = asked.request;
      if (write.kind !== 'lead' || caller.companyId !== companyId) continue;
      if (asked.kept === undefined && !asked.isUnknown) {
        if (wasRecorded(write.fullName, final))
          faults.push(`${describe(asked.sendings[0])} was refused and recorded`);
        continue;
      }
      places.set(write.place, [...(places.get(write.place) ?? []), asked]);
    }
    for (const [place, submissions] of places) {
      const project =
        place === PROJECT_PLACE_INDEX
          ? world.jobs.find((job) => job.sellerId === companyId && job.projectId !== undefined)?.projectId
          : undefined;
      faults.push(
        ...checkPlace(companyId, submissions, project, final, explained).map(
          (fault) => `leads of ${companyId} at place ${place}: ${fault}`,
        ),
      );
    }
  }
  const stray = final.leads.filter(({ id }) => !explained.has(id));
  faults.push(...stray.map(({ id, full_name }) => `lead ${id} (${full_name}) has come out of nothing`));
  return faults;
}

function checkPlace(
  companyId: string,
  submissions: readonly Asked[],
  projectId: string | undefined,
  final: Pick<FinalState, 'leads' | 'submissions'>,
  explained: Set<string>,
): string[] {
  const faults: string[] = [];
  const names = new Map<string, Asked>();
  for (const asked of submissions) {
    if (asked.request.write.kind === 'lead') names.set(asked.request.write.fullName, asked);
  }
  const leads = final.leads.filter(
    ({ company_id, full_name }) => company_id === companyId && names.has(full_name),
  );
  const [lead] = leads;
  for (const { id } of leads) explained.add(id);
  if (leads.length > 1) faults.push(`it has the leads ${leads.map(({ id }) => id).join(', ')}`);
  if (lead === undefined) {
    const isAnswered = submissions.some(({ kept }) => kept !== undefined);
    return isAnswered ? [...faults, 'it has no lead'] : faults;
  }
  if (projectId !== undefined && lead.project_id !== projectId) {
    faults.push(`its lead belongs to ${String(lead.project_id)} in place of ${projectId}`);
  }
  const maker = names.get(lead.full_name);
  for (const [fullName, asked] of names) {
    const rows = final.submissions.filter(({ full_name }) => full_name === fullName);
    const { kept } = asked;
    const by = describe(asked.sendings[0]);
    const times = rows.length + (asked === maker ? 1 : 0);
    if (kept === undefined ? times > 1 : times !== 1) faults.push(`${by} was recorded ${times} times`);
    if (rows.some(({ lead_id }) => lead_id !== lead.id)) faults.push(`${by} was merged into another lead`);
    if (kept === undefined) continue;
    const answer = { status: kept.status, body: parseJson(kept.text) };
    if (asked === maker && projectId === undefined) {
      const isRight = answer.status === 201 && leadCreated.safeParse(answer.body).data?.leadId === lead.id;
      if (!isRight) faults.push(`${by} made the lead and was told ${kept.status} ${kept.text}`);
      continue;
    }
    const merged = leadMerged.safeParse(answer.body).data;
    const reason =
      asked === maker ? `address matches project ${String(projectId)}` : `address matches lead ${lead.id}`;
    const isRight =
      answer.status === 200 &&
      merged?.leadId === lead.id &&
      merged.projectId === lead.project_id &&
      merged.reason === reason;
    if (!isRight) faults.push(`${by} was merged into ${lead.id} and was told ${kept.status} ${kept.text}`);
    if (maker !== undefined && maker.firstSentAt > kept.knownAt) {
      faults.push(`${by} was merged into a lead that was not asked for yet`);
    }
  }
  if (maker?.request.write.kind === 'lead' && maker.request.write.address !== lead.address) {
    faults.push(`lead ${lead.id} has not kept the fields of its first submission`);
  }
  return faults;
}

function wasRecorded(fullName: string, final: Pick<FinalState, 'leads' | 'submissions'>): boolean {
  return [...final.leads, ...final.submissions].some(({ full_name }) => full_name === fullName);
}
