import { describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { unsignedEvents } from '@partner/proto-contracts/internal/events/unsigned-events';
import { listInstallerEventsOperation } from '@partner/proto-contracts/resources/event-feed/operations';
import { deleteFormerNumbers } from '../../database/event-numbers.js';
import { installerKey } from '../../testing/callers.js';
import { createGate } from '../../testing/create-gate.js';
import { eventFeedOperations, readEventFeed } from './event-feed.js';
import { fixture } from '../../testing/file-webhooks.js';

const NOW = new Date('2026-11-25T12:00:00Z');

async function read(companyId: string, query: object = {}) {
  const all = { companyId, after: '0', limit: 100, event: undefined, resourceId: undefined };
  const page = await readEventFeed(fixture.database, { ...all, ...query });
  return { ...page, events: page.events.map(({ sequence, eventId }) => [sequence, eventId]) };
}

describe('the numbers of events', () => {
  test('follow the order of commits without gaps, for each company separately [EVENT-9]', async () => {
    const [one, other] = [await fixture.company(), await fixture.company()];
    const gate = createGate();
    const ids: string[] = [];
    // Its events are created before the others, and committed after them.
    const lateCommit = fixture.database.transaction(async (tx) => {
      for (const companyId of [one, other, one]) ids.push(fixture.record(tx, companyId).eventId);
      await gate.opened;
    });
    const first = await fixture.event(one);
    const lost = fixture.database.transaction(async (tx) => {
      fixture.record(tx, one);
      await tx.query('select 1');
      throw new Error('rolled back');
    });
    await expect(lost).rejects.toThrow('rolled back');
    expect(await read(one)).toEqual({ events: [['1', first]], next: '1', hasMore: false });
    gate.open();
    await lateCommit;
    expect((await read(one, { after: '1' })).events).toEqual([
      ['2', ids[0]],
      ['3', ids[2]],
    ]);
    expect((await read(other)).events).toEqual([['1', ids[1]]]);
  });

  test('go on in a new row after 64 events, and the rows before are deleted', async () => {
    const companyId = await fixture.company();
    for (let batch = 0; batch < 3; batch += 1) {
      await fixture.database.transaction(async (tx) => {
        for (let event = 0; event < 50; event += 1) fixture.record(tx, companyId);
        await tx.query('select 1');
      });
    }
    const blocks = 'select block, last from event_numbers where company_id = $1 order by block';
    const rows = () => fixture.database.query(blocks, [companyId]);
    expect(await rows()).toEqual([
      { block: '0', last: '50' },
      { block: '1', last: '100' },
      { block: '2', last: '150' },
    ]);
    await deleteFormerNumbers(fixture.database);
    expect(await rows()).toEqual([{ block: '2', last: '150' }]);
    await fixture.event(companyId);
    const { events } = await read(companyId, { after: '149' });
    expect(events.map(([sequence]) => sequence)).toEqual(['150', '151']);
  });

  test('are given to events that a previous version of the service records without one [EVENT-9]', async () => {
    const companyId = await fixture.company();
    const first = await fixture.event(companyId);
    const second = newId('evt');
    await fixture.database.query(
      `insert into events (id, company_id, name, schema_version, occurred_at, resource_type, resource_id, resource_version, body)
       select $2, company_id, name, schema_version, occurred_at, resource_type, resource_id, resource_version, body
       from events where id = $1`,
      [first, second],
    );
    const third = await fixture.event(companyId);
    expect((await read(companyId)).events).toEqual([
      ['1', first],
      ['2', second],
      ['3', third],
    ]);
  });
});

describe('a page of events', () => {
  test('ends at its limit, and continues after it until there are no more [EVENT-9]', async () => {
    const companyId = await fixture.company();
    const events: (readonly [string, string])[] = [];
    for (const number of ['1', '2', '3']) events.push([number, await fixture.event(companyId)]);
    for (const [query, expected] of [
      [{ limit: 2 }, { events: events.slice(0, 2), next: '2', hasMore: true }],
      [
        { limit: 2, after: '2' },
        { events: events.slice(2), next: '3', hasMore: false },
      ],
      [{ after: '3' }, { events: [], next: '3', hasMore: false }],
      [{ after: undefined }, { events: [], next: '3', hasMore: false }],
    ] as const)
      expect(await read(companyId, query)).toEqual(expected);
  });

  test('has the events of the filter only, and continues after the newest event [EVENT-9]', async () => {
    const companyId = await fixture.company();
    const jobId = newId('job');
    const ours = await fixture.event(companyId, jobId);
    const theirs = await fixture.event(companyId);
    const about = { events: [['1', ours]], next: '2', hasMore: false };
    expect(await read(companyId, { resourceId: jobId })).toEqual(about);
    expect((await read(companyId, { event: 'install.*' })).events).toEqual([
      ['1', ours],
      ['2', theirs],
    ]);
    expect((await read(companyId, { event: 'install.status_changed' })).events).toHaveLength(2);
    expect((await read(companyId, { event: 'install.job_assigned' })).events).toEqual([]);
  });

  test('leaves out events that the class of the company may not have, and goes on after them [EVENT-9]', async () => {
    const companyId = await fixture.company('SALES');
    await fixture.event(companyId);
    await fixture.event(companyId);
    expect(await read(companyId, { limit: 1 })).toEqual({ events: [], next: '2', hasMore: false });
  });
});

test('is read from its start, its end or a position, until events after that may have been dropped [EVENT-10]', async () => {
  const companyId = await fixture.company();
  const { call } = inProcessOperations({
    implementations: eventFeedOperations({ ...fixture, clock: () => NOW, deliveriesDays: 90 }),
    callers: ['key'],
  });
  const read = (after?: string, query = {}) =>
    call(listInstallerEventsOperation, {
      ...{ caller: installerKey(companyId), query },
      ...(after !== undefined && { after }),
    });
  const page = { json: '{"events":[]}', next: '0:2026-11-25', hasMore: false };
  expect(await read('0:2026-07-30')).toEqual(page);
  const refusal = (words: string) => ({ reason: 'cursor_invalid', message: expect.stringContaining(words) });
  await expect(read('0:2026-07-29')).rejects.toMatchObject(refusal('events are kept for 120 days'));
  const eventId = await fixture.event(companyId);
  await expect(read('2:2026-11-25')).rejects.toMatchObject(refusal('after the newest event'));
  expect(await read('1:2026-11-25')).toEqual({ ...page, next: '1:2026-11-25' });
  expect(await read(undefined, { from: 'end' })).toEqual({ ...page, next: '1:2026-11-25' });
  const { events } = unsignedEvents.parse(JSON.parse((await read()).json));
  expect(events).toMatchObject([{ sequence: '1', eventId, event: 'install.status_changed' }]);
  await fixture.event(companyId, newId('job'), ['status']);
  for (const [fields, sequences] of [
    ['documents', ['1']],
    ['documents,status', ['1', '2']],
  ] as const) {
    const filtered = unsignedEvents.parse(JSON.parse((await read(undefined, { fields })).json));
    expect(filtered.events.map(({ sequence }) => sequence)).toEqual(sequences);
  }
});
