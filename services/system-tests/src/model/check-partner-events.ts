import { AppointmentBookedSchema } from '@partner/proto-contracts/gen/partner/leads/v1/appointment_service_pb';
import { differences } from './differences.js';
import type { FinalState } from './final-state.js';
import { messageOf, readPartnerEvent } from './partner-events.js';
import type { PartnerEvent } from './history.js';
import type { JobChain } from './job-chains.js';
import type { World } from './world.js';

/**
 * Checks what the platform has heard: each change of a job, each appointment and each lead, under one message id of its own,
 * however often it was sent. Its notes are checked with the notes.
 */
export function checkPartnerEvents(
  chains: readonly JobChain[],
  world: Pick<World, 'jobs' | 'companies'>,
  final: FinalState,
  heard: readonly PartnerEvent[],
): string[] {
  const faults: string[] = [];
  const messages = new Map<string, PartnerEvent>();
  for (const message of heard) {
    const other = messages.get(message.messageId);
    if (other !== undefined && !Buffer.from(other.body).equals(message.body)) {
      faults.push(`two messages of the platform have the id ${message.messageId}`);
    }
    messages.set(message.messageId, message);
  }
  const expected = chains.flatMap(({ job, links }) =>
    links.flatMap((link, place) => {
      const before = links[place - 1];
      return before === undefined ? [] : messageOf(job.id, before, link);
    }),
  );
  const judged = new Set(chains.map(({ job }) => job.id));
  const companies = new Set(world.companies.map(({ id }) => id));
  const found: unknown[] = [];
  for (const { type, body } of messages.values()) {
    const read = readPartnerEvent(type, body);
    if (read === undefined) continue;
    if ('jobId' in read ? judged.has(read.jobId ?? '') : companies.has(read.companyId ?? ''))
      found.push(read);
  }
  const ofAppointments = final.appointments.map((row) => ({
    type: AppointmentBookedSchema.typeName,
    companyId: row.company_id,
    id: row.id,
    leadId: row.lead_id,
    notes: row.notes,
  }));
  const ofLeads = final.leads.map((row) => ({
    type: 'lead',
    companyId: row.company_id,
    leadId: row.id,
    fullName: row.full_name,
  }));
  const ofSubmissions = final.submissions.map((row) => ({
    type: 'lead',
    companyId: final.leads.find(({ id }) => id === row.lead_id)?.company_id,
    leadId: row.lead_id,
    fullName: row.full_name,
  }));
  return [
    ...faults,
    ...differences(
      'messages to the platform',
      [...expected, ...ofAppointments, ...ofLeads, ...ofSubmissions],
      found,
    ),
  ];
}
