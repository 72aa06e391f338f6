import { expect, test } from '@jest/globals';
import { createConfirmationGate } from './confirmation-gate.js';

test('asks once for all waiting requests, and resolves them together', async () => {
  const gate = createConfirmationGate();
  let requests = 0;
  gate.subscribe(() => {
    requests += 1;
  });
  const first = gate.requestPassword();
  const second = gate.requestPassword();
  expect(gate.isAsking()).toBe(true);
  expect(requests).toBe(1);
  await expect(Promise.race([first, second, Promise.resolve('waiting')])).resolves.toBe('waiting');

  gate.settle(true);
  await expect(Promise.all([first, second])).resolves.toEqual([true, true]);
  expect(gate.isAsking()).toBe(false);
});

test('requests another confirmation after a cancellation', async () => {
  const gate = createConfirmationGate();
  const first = gate.requestPassword();
  gate.settle(false);
  await expect(first).resolves.toBe(false);

  const second = gate.requestPassword();
  expect(gate.isAsking()).toBe(true);
  gate.settle(true);
  await expect(second).resolves.toBe(true);
});
