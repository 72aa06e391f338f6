import type { IncomingMessage } from '@partner/kernel/amqp/consumer';
import { newId } from '@partner/kernel/process/ids';
import { fc } from '@partner/test-kit/fast-check';
import type { Queryable } from '../../../database/database.js';
import { sent, stamp } from '../../testing/messages.js';
import { FACT_CASES, type FactCase } from './sales-facts.js';

/** Facts about one resource: the case that publishes each version. */
const kinds = [...new Set(FACT_CASES.map(({ kind }) => kind))];
const casesOf = (kind: string): readonly FactCase[] => FACT_CASES.filter((fact) => fact.kind === kind);

const resource = fc.constantFrom(...kinds).chain((kind) =>
  fc.record({
    kind: fc.constant(kind),
    facts: fc.array(fc.constantFrom(...casesOf(kind)), { minLength: 1, maxLength: 3 }),
  }),
);

/**
 * Messages about the sales of some companies as the platform would send them, each valid after the previous ones.
 *
 * They are projects, facts about them and journal entries. `leadIds`: existing leads, for appointments.
 */
export function salesStream(given: {
  readonly companyIds: readonly string[];
  readonly accountingCompanyIds: readonly string[];
  readonly leadIds?: readonly string[];
}): fc.Arbitrary<readonly IncomingMessage[]> {
  const project = fc.record({
    companyId: fc.constantFrom(...given.companyIds),
    things: fc.array(resource, { maxLength: 4 }),
    entries: fc.nat({ max: 2 }),
  });
  const appointments =
    given.leadIds === undefined || given.leadIds.length === 0
      ? fc.constant([])
      : fc.array(
          fc.record({
            leadId: fc.constantFrom(...given.leadIds),
            notes: fc.array(fc.option(fc.constantFrom('one', 'two')), { minLength: 1, maxLength: 4 }),
          }),
          { maxLength: 2 },
        );
  return fc
    .tuple(fc.array(project, { maxLength: 3 }), appointments)
    .map(([projects, booked]) => [
      ...projects.flatMap(messagesOfProject),
      ...booked.flatMap(messagesOfAppointment),
    ]);
}

function messagesOfProject(planned: {
  readonly companyId: string;
  readonly things: readonly { readonly kind: string; readonly facts: readonly FactCase[] }[];
  readonly entries: number;
}): readonly IncomingMessage[] {
  const projectId = newId('prj');
  const { companyId } = planned;
  // The project itself is one resource, however often it is planned.
  let projectVersion = 1;
  const facts = planned.things.flatMap(({ kind, facts: ofThing }) => {
    const id = ofThing[0]?.newId() ?? '';
    return ofThing.map((fact, place) => {
      const version = kind === 'project' ? (projectVersion += 1) : place + 1;
      return fact.message({ id, projectId, version, occurredAt: stamp(version - 50) });
    });
  });
  const entries = Array.from({ length: planned.entries }, () =>
    sent.journalEntryRecorded({ companyId, projectId, occurredAt: stamp(-40) }),
  );
  return [sent.projectCreated({ projectId, sellingCompanyId: companyId }), ...facts, ...entries];
}

function messagesOfAppointment(planned: {
  readonly leadId: string;
  readonly notes: readonly (string | null)[];
}): readonly IncomingMessage[] {
  const appointmentId = newId('appt');
  return planned.notes.map((notes, place) =>
    sent.appointmentScheduled({
      appointmentId,
      leadId: planned.leadId,
      version: place + 1,
      startsAt: stamp(place * 60),
      endsAt: stamp(place * 60 + 30),
      ...(notes === null ? {} : { notes }),
      occurredAt: stamp(place - 30),
    }),
  );
}

/**
 * The state that must be the same in any order and repetition of messages: records, and announced versions by receiver.
 *
 * The notes in an event are those known when it was emitted.
 */
export async function salesState(database: Queryable): Promise<unknown> {
  return {
    projects: await database.query('select id, company_id from projects order by id'),
    records: await database.query(
      'select id, kind, company_id, project_id, version, emitted_versions::text, state from sales_records order by id',
    ),
    appointments: await database.query(
      `select id, company_id, lead_id, project_id, starts_at, ends_at, notes, version, emitted_versions::text from appointments
       order by id`,
    ),
    events: await database.query(
      `select company_id, name, resource_type, resource_id, resource_version, occurred_at,
         (convert_from(body, 'UTF8')::jsonb -> 'data') - 'notes' as data
       from events where name not like 'install.%' order by company_id, name, resource_id, resource_version`,
    ),
  };
}
