import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { APPOINTMENT_FIELDS } from '@partner/proto-contracts/resources/event-catalogue/sales-events';
import { bookAppointment } from '../../testing/partner-calls.js';
import { binding } from '../../testing/test-jobs.js';
import {
  otherSeller,
  changesOf,
  dead,
  insertLead,
  eventsAbout,
  emittedVersions,
} from './testing/sales-messages-fixture.js';
import { at, sent, stamp } from '../testing/messages.js';
import { database, seller, handle, writing, DONE } from '../testing/platform-fixture.js';

describe('appointment.booked', () => {
  /** `later`: hours after the standard start. */
  const scheduled = ({
    later = 0,
    version = 1,
    ...given
  }: Parameters<typeof sent.appointmentScheduled>[0] & { readonly later?: number }) =>
    sent.appointmentScheduled({
      ...given,
      version,
      startsAt: timestampFromDate(hours(later)),
      endsAt: timestampFromDate(hours(later + 1)),
      occurredAt: stamp(version),
    });
  const hours = (later: number) => new Date(Date.UTC(2026, 9, 5, 15 + later));
  const appointmentOf = async (id: string) => {
    const columns = 'company_id, lead_id, project_id, starts_at, ends_at, notes, version';
    return (await database.query(`select ${columns} from appointments where id = $1`, [id]))[0];
  };

  test('is published for an appointment that the platform creates', async () => {
    const { leadId, projectId } = await insertLead();
    const appointmentId = newId('appt');
    expect(await handle(scheduled({ appointmentId, leadId, projectId, notes: 'Ring twice' }))).toEqual(DONE);
    expect(await eventsAbout(appointmentId)).toEqual([
      {
        to: seller,
        event: 'appointment.booked',
        occurredAt: at(1).toISOString(),
        resource: { type: 'appointment', id: appointmentId, version: 1 },
        data: {
          ...{ appointmentId, leadId, projectId, notes: 'Ring twice' },
          ...{ startsAt: hours(0).toISOString(), endsAt: hours(1).toISOString() },
        },
      },
    ]);
    expect(await appointmentOf(appointmentId)).toEqual({
      ...{ company_id: seller, lead_id: leadId, project_id: projectId, version: 1 },
      ...{ starts_at: hours(0), ends_at: hours(1), notes: 'Ring twice' },
    });
  });

  test('is published for the move of one that a partner has booked: the move is its version 2, after version 1, and names what it changes [EVENT-14]', async () => {
    const { leadId, projectId } = await insertLead();
    const { appointmentId } = await bookAppointment(writing(), {
      ...{ companyId: seller, binding: binding(newId('evt')), leadId },
      ...{ startsAt: hours(0), endsAt: hours(1), notes: 'Gate code 4711' },
    });
    await handle(scheduled({ appointmentId, leadId, version: 1, later: 9 }));
    expect(await emittedVersions(appointmentId)).toEqual([1]);
    await handle(scheduled({ appointmentId, leadId, projectId, version: 2, later: 3 }));
    expect(await emittedVersions(appointmentId)).toEqual([1, 2]);
    expect(await eventsAbout(appointmentId)).toMatchObject([
      {},
      { to: seller, data: { projectId, startsAt: hours(3).toISOString(), notes: 'Gate code 4711' } },
    ]);
    expect(await changesOf(appointmentId)).toEqual([APPOINTMENT_FIELDS, ['startsAt', 'endsAt']]);
    expect(await appointmentOf(appointmentId)).toMatchObject({
      ...{ starts_at: hours(3), ends_at: hours(4), project_id: projectId },
      ...{ notes: 'Gate code 4711', version: 2 },
    });
  });

  test('for a late version without notes has none of a newer one, and names all fields as changed [EVENT-14, PLATFORM-5]', async () => {
    const { leadId } = await insertLead();
    const appointmentId = newId('appt');
    for (const version of [{ version: 4, notes: 'newer' }, { version: 2 }, { version: 5 }]) {
      await handle(scheduled({ appointmentId, leadId, ...version }));
    }
    // Before version 2, what is known is newer.
    expect(await changesOf(appointmentId)).toEqual([APPOINTMENT_FIELDS, APPOINTMENT_FIELDS, []]);
    expect((await eventsAbout(appointmentId)).map(({ data }) => data)).toMatchObject([
      { notes: 'newer' },
      { notes: null },
      { notes: 'newer' },
    ]);
    expect(await appointmentOf(appointmentId)).toMatchObject({ notes: 'newer', version: 5 });
  });

  test('is refused with another lead than before and with a project of another company [PLATFORM-5]', async () => {
    const { leadId } = await insertLead();
    const [sibling, foreign] = [await insertLead(), await insertLead(otherSeller)];
    const appointmentId = newId('appt');
    await handle(scheduled({ appointmentId, leadId }));
    for (const other of [sibling.leadId, foreign.leadId]) {
      expect(await handle(scheduled({ appointmentId, leadId: other, version: 2 }))).toEqual(
        dead(`appointment ${appointmentId} belongs to another lead than ${other}`),
      );
    }
    const { projectId } = foreign;
    expect(await handle(scheduled({ appointmentId, leadId, projectId, version: 2 }))).toEqual(
      dead(`project ${projectId} belongs to another company`),
    );
    expect(await emittedVersions(appointmentId)).toEqual([1]);
  });
});
