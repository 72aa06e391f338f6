import { expect, test } from '@jest/globals';
import { createConfirmationGate } from './confirmation-gate.js';

test('asks once for all who wait, and lets them go together', async () => {
  const gate = createConfirmationGate();
  let told = 0;
  gate.subscribe(() => {
    told += 1;
  });
  const first = gate.ask();
  const second = gate.ask();
  expect(gate.isAsking()).toBe(true);
  expect(told).toBe(1);
  await expect(Promise.race([first, second, Promise.resolve('waiting')])).resolves.toBe('waiting');

  gate.settle(true);
  await expect(Promise.all([first, second])).resolves.toEqual([true, true]);
  expect(gate.isAsking()).toBe(false);
});

test('asks anew after it was called off', async () => {
  const gate = createConfirmationGate();
  const first = gate.ask();
  gate.settle(false);
  await expect(first).resolves.toBe(false);

  const second = gate.ask();
  expect(gate.isAsking()).toBe(true);
  gate.settle(true);
  await expect(second).resolves.toBe(true);
});
