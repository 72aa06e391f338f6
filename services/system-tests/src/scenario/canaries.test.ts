import { describe, expect, test } from '@jest/globals';
import { createCanaries, findCanaries } from './canaries.js';

const piece = (place: string, text: string) => ({ place, what: 'a piece', text });

describe('canaries', () => {
  test.each([
    ['as they are', (text: string) => `{"x":"${text}"}`],
    ['in capitals', (text: string) => text.toUpperCase()],
    ['as base64', (text: string) => Buffer.from(`{"cursor":"${text}"}`).toString('base64')],
    ['as base64 for URLs', (text: string) => Buffer.from(`[["${text}"]]`).toString('base64url')],
    ['as hexadecimal digits', (text: string) => Buffer.from(`x${text}`).toString('hex')],
  ])('are found %s where they may not be', (_how, written) => {
    const canaries = createCanaries();
    const text = canaries.word('the note', 'api');
    canaries.word('the other note', 'api');
    const { leaks, unseen } = findCanaries(canaries.all, [piece('api', text), piece('logs', written(text))]);
    expect(leaks).toEqual([expect.stringContaining('the note in logs')]);
    expect(unseen).toEqual(['the other note in api']);
    expect(leaks.join()).not.toContain(text);
  });

  test('that are amounts are found as whole numbers alone', () => {
    const canaries = createCanaries();
    const amount = canaries.amount('the total');
    const find = (text: string) => findCanaries(canaries.all, [piece('logs', text)]).leaks.length;
    expect(find(`{"total":${amount}}`)).toBe(1);
    expect(find(`paid ${String(amount).slice(0, -2)}.${String(amount).slice(-2)} USD`)).toBe(1);
    expect(find(`{"time":1${amount}23}`)).toBe(0);
  });
});
