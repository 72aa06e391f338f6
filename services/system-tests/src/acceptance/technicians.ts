import { expect, test } from '@jest/globals';
import { techniciansResponse } from '@partner/proto-contracts/resources/technician/technician';
import { addCompany } from '../support/companies.js';
import { expectError } from '../surfaces/send.js';
import type { AcceptanceWorld } from './acceptance-world.js';

/** How an installer company reads its technicians. */
export function describeTechnicians(world: () => AcceptanceWorld): void {
  const get = (query: string, apiKey = world().side.keys['installer-company']) =>
    world().send({
      method: 'GET',
      path: `/partner/v1/technicians${query}`,
      headers: { 'x-api-key': apiKey },
    });
  const read = async (query: string) => techniciansResponse.parse((await get(query)).json);
  const withCursor = (cursor: string | null) => `?limit=10&cursor=${encodeURIComponent(cursor ?? '')}`;

  test('pages hold every technician once, in the order of the whole list [TECH-3]', async () => {
    const whole = await read('');
    expect([whole.technicians.length, whole.nextCursor, whole.hasMore]).toEqual([22, null, false]);
    const first = await read('?limit=10');
    const second = await read(withCursor(first.nextCursor));
    const third = await read(withCursor(second.nextCursor));
    const pages = [first, second, third];
    expect(pages.map(({ technicians, hasMore }) => [technicians.length, hasMore])).toEqual([
      [10, true],
      [10, true],
      [2, false],
    ]);
    expect(third.nextCursor).toBeNull();
    expect(pages.flatMap(({ technicians }) => technicians)).toEqual(whole.technicians);
  });

  test('a cursor of another company or of the change feed, and a changed one, is 400 cursor_invalid [TECH-3]', async () => {
    const { nextCursor } = await read('?limit=10');
    const other = await addCompany(world().stack.database, {
      class: 'INSTALLER',
      keys: ['installer-company'],
    });
    const answers = [
      await get(withCursor(nextCursor), other.apiKeys[0]),
      await get(withCursor(`${nextCursor ?? ''}A`)),
      await world().send({
        method: 'GET',
        path: `/partner/v1/jobs${withCursor(nextCursor)}`,
        headers: { 'x-api-key': world().side.keys['installer-company'] },
      }),
    ];
    for (const answer of answers) {
      expect(expectError(answer, 400, 'cursor_invalid').error).toBe(
        'cursor: must be a nextCursor that this company was given',
      );
    }
  });
}
