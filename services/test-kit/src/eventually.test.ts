import { expect, test } from '@jest/globals';
import { eventually, PollTimeoutError } from './eventually.js';

test('polls until the probe returns something, and returns it', async () => {
  const values = [undefined, false, 0] as const;
  let polls = 0;
  await expect(eventually('a number', () => values[polls++], { everyMs: 1 })).resolves.toBe(0);
  expect(polls).toBe(3);
});

test('names the condition and its last state after the timeout', async () => {
  let polls = 0;
  const poll = eventually(
    () => Promise.resolve(`the end; polled: ${polls > 0}`),
    () => ++polls < 0,
    { timeoutMs: 1, everyMs: 1 },
  );
  await expect(poll).rejects.toThrow(new PollTimeoutError('the end; polled: true: not within 0 s'));
});

test('ends with the error of the probe', async () => {
  const failure = new Error('refused');
  await expect(eventually('a response', () => Promise.reject(failure))).rejects.toBe(failure);
});

test('stops when it is interrupted', async () => {
  const interruption = new AbortController();
  const poll = eventually('the end', () => interruption.abort(), { signal: interruption.signal });
  await expect(poll).rejects.toThrow('aborted');
});
