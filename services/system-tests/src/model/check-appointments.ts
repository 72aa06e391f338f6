import { appointmentBooked } from '@partner/proto-contracts/public-api/appointment';
import { type Asked, errorCodeOf, parseJson } from './asked.js';
import { describe } from './check-idempotency.js';
import type { FinalState } from './final-state.js';
import { isUncertain } from './history.js';

/**
 * Checks the appointments (spec: Inbound; decisions: Inbound): one for each key that was answered with it and no other, as it
 * was asked for; and a 403 for each lead or project that is not the company's, and only for these.
 */
export function checkAppointments(
  all: readonly Asked[],
  final: Pick<FinalState, 'appointments' | 'leads'>,
): string[] {
  const faults: string[] = [];
  const explained = new Set<string>();
  const owners = new Map(final.leads.map(({ id, company_id }) => [id, company_id]));
  const projectOwners = new Map(final.leads.map(({ project_id, company_id }) => [project_id, company_id]));
  for (const asked of all) {
    const { write, caller, faultStatus } = asked.request;
    if (write.kind !== 'appointment') continue;
    const by = describe(asked.sendings[0]);
    const isOwn =
      owners.get(write.leadId) === caller.companyId &&
      (write.projectId === undefined || projectOwners.get(write.projectId) === caller.companyId);
    for (const sending of asked.sendings) {
      const answer = sending.tries.at(-1)?.answer;
      if (answer === undefined || isUncertain(answer) || faultStatus !== undefined || answer.status < 300)
        continue;
      const isRefused = answer.status === 403 && !isOwn;
      if (!isRefused && errorCodeOf(answer) !== 'idempotency_mismatch') {
        faults.push(`${describe(sending)}: ${answer.status} ${answer.text}`);
      }
    }
    if (asked.kept === undefined) continue;
    const appointmentId = appointmentBooked.safeParse(parseJson(asked.kept.text)).data?.appointmentId;
    const row = final.appointments.find(({ id }) => id === appointmentId);
    if (appointmentId === undefined || row === undefined) {
      faults.push(`${by} was told of an appointment that is not there: ${asked.kept.text}`);
      continue;
    }
    if (explained.has(appointmentId)) faults.push(`${by} was told of the appointment of another request`);
    explained.add(appointmentId);
    if (!isOwn) faults.push(`${by} has an appointment for what is not the company's`);
    const isSame =
      row.company_id === caller.companyId &&
      row.lead_id === write.leadId &&
      row.project_id === (write.projectId ?? null) &&
      row.starts_at.toISOString() === write.startsAt &&
      row.ends_at.toISOString() === write.endsAt &&
      row.notes === (write.notes ?? null);
    if (!isSame) faults.push(`${by} has another appointment than it asked for: ${JSON.stringify(row)}`);
  }
  const stray = final.appointments.filter(({ id }) => !explained.has(id));
  faults.push(...stray.map((row) => `an appointment that nobody was told of: ${JSON.stringify(row)}`));
  return faults;
}
