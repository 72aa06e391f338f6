import { expect, test } from '@jest/globals';
import { checkConfirmation, createConfirmation } from './confirmation.js';
import type { ToolCaller } from './tool.js';

const NOW = new Date('2026-09-01T12:00:00Z');
const after = (ms: number) => new Date(NOW.getTime() + ms);

/** A caller whose request has only its key. */
function callerWith(apiKey: string): Pick<ToolCaller, 'request'> {
  return {
    request: {
      principal: { kind: 'general', keyId: 'key_1', companyId: 'cmp_1', companyClass: 'SALES' },
      params: {},
      query: undefined,
      sentQuery: undefined,
      body: undefined,
      idempotencyKey: undefined,
      operation: 'POST /inbound/mcp',
      bodySha256: Buffer.alloc(0),
      requestId: 'req',
      apiVersion: '2026-08-26',
      header: (name) => (name === 'x-api-key' ? apiKey : undefined),
      call: {},
      headers: {},
      remoteAddress: '127.0.0.1',
    },
  };
}

test('a confirmation holds for 10 minutes, for one key and one replay [MCP-4]', () => {
  const caller = callerWith('key_1.secret');
  const replay = { fromSequence: 1, toSequence: 2, perMinute: 600 };
  const { confirmation, expiresAt } = createConfirmation(caller, replay, NOW);
  expect(expiresAt).toBe('2026-09-01T12:10:00.000Z');
  const check = (given: Partial<{ caller: typeof caller; replay: object; now: Date; text: string }>) => () =>
    checkConfirmation(given.caller ?? caller, given.replay ?? replay, {
      confirmation: given.text ?? confirmation,
      now: given.now ?? after(599_999),
    });
  expect(check({ replay: { perMinute: 600, toSequence: 2, fromSequence: 1 } })).not.toThrow();
  expect(check({ now: after(600_000) })).toThrow('confirmation: has expired');
  const later = confirmation.replace(/^\d+/, String(after(900_000).getTime()));
  for (const wrong of [
    { caller: callerWith('key_2.secret') },
    { replay: { ...replay, toSequence: 3 } },
    { text: later },
    { text: '' },
  ])
    expect(check(wrong)).toThrow('confirmation: must be that of a preview');
});
