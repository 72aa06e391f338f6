import { expect, test } from '@jest/globals';
import { techniciansResponse } from '@partner/proto-contracts/resources/technician/technician';
import type { AcceptanceWorld } from './acceptance-world.js';

/** How an installer company reads its technicians. */
export function describeTechnicians(world: () => AcceptanceWorld): void {
  const get = (query: string) =>
    world().send({
      method: 'GET',
      path: `/partner/v1/technicians${query}`,
      headers: { 'x-api-key': world().side.keys['installer-company'] },
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
    expect(pages.map(({ hasMore }) => hasMore)).toEqual([true, true, false]);
    expect(third.nextCursor).toBeNull();
    expect(pages.flatMap(({ technicians }) => technicians)).toEqual(whole.technicians);
  });
}
