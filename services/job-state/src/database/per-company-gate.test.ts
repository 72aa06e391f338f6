import { expect, test } from '@jest/globals';
import { createGate } from '../testing/create-gate.js';
import { createPerCompanyGate } from './per-company-gate.js';

const FOR_EVER = Number.POSITIVE_INFINITY;

/** Work that runs until it is released, and reports when it starts. */
function createWork() {
  const begun = createGate();
  const letGo = createGate();
  return {
    begun: begun.opened,
    letGo: letGo.open,
    async run() {
      begun.open();
      await letGo.opened;
    },
  };
}

test('work beyond the bound queues in order, and other companies do not wait', async () => {
  const gate = createPerCompanyGate({ running: 1, waiting: 10 });
  const order: string[] = [];
  const first = createWork();
  const running = gate.run('cmp_a', FOR_EVER, first.run);
  await first.begun;
  const later = ['second', 'third'].map((name) =>
    gate.run('cmp_a', FOR_EVER, () => {
      order.push(name);
      return Promise.resolve();
    }),
  );
  expect(await gate.run('cmp_b', 0, () => Promise.resolve('done'))).toBe('done');
  expect(order).toEqual([]);
  first.letGo();
  await Promise.all([running, ...later]);
  expect(order).toEqual(['second', 'third']);
});

test('work that times out in the queue is unavailable, never starts and uses no slot', async () => {
  const gate = createPerCompanyGate({ running: 1, waiting: 10 });
  const first = createWork();
  const running = gate.run('cmp_a', FOR_EVER, first.run);
  let begun = 0;
  const begin = () => {
    begun += 1;
    return Promise.resolve();
  };
  await expect(gate.run('cmp_a', 1, begin)).rejects.toMatchObject({ reason: 'unavailable' });
  first.letGo();
  await running;
  expect(begun).toBe(0);
  await gate.run('cmp_a', 0, begin);
  expect(begun).toBe(1);
});

test('work that finds a full queue is unavailable at once', async () => {
  const gate = createPerCompanyGate({ running: 1, waiting: 1 });
  const first = createWork();
  const running = gate.run('cmp_a', FOR_EVER, first.run);
  const waiting = gate.run('cmp_a', FOR_EVER, () => Promise.resolve('waited'));
  await expect(gate.run('cmp_a', FOR_EVER, first.run)).rejects.toMatchObject({
    reason: 'unavailable',
    message: expect.stringContaining('nothing was done; retry, with'),
  });
  first.letGo();
  await running;
  expect(await waiting).toBe('waited');
});

test('work that fails frees its slot', async () => {
  const gate = createPerCompanyGate({ running: 1, waiting: 0 });
  await expect(gate.run('cmp_a', 0, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await gate.run('cmp_a', 0, () => Promise.resolve('done'))).toBe('done');
});
