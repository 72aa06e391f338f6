import { EventEmitter } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { createRecorder } from '@partner/test-kit/recorder';
import { createConfirmWindow } from './confirm-window.js';

const message = { exchange: '', routingKey: 'queue', body: Buffer.alloc(0), properties: {} };

/** A channel that accepts everything and confirms only on request. */
class SilentChannel extends EventEmitter {
  readonly confirms: ((refusal: unknown) => void)[] = [];

  publish(...[, , , , onConfirm]: [string, string, Buffer, object, (refusal: unknown) => void]): boolean {
    this.confirms.push(onConfirm);
    return true;
  }
}

function createFixture() {
  const channel = new SilentChannel();
  const stuck = createRecorder<Error>();
  const window = createConfirmWindow(channel, { confirmTimeoutMs: 20, onStuck: stuck.record });
  const publishMany = (count: number) =>
    Promise.allSettled(Array.from({ length: count }, () => window.publish(message)));
  return { channel, stuck, window, publishMany };
}

describe('the window of unconfirmed messages', () => {
  test('requests another channel once it is full of timed-out messages', async () => {
    const { channel, stuck, window, publishMany } = createFixture();
    const results = await publishMany(1_001);
    for (const result of results) {
      expect(result).toMatchObject({ status: 'rejected', reason: { kind: 'timeout' } });
    }
    expect(channel.confirms).toHaveLength(1_000);
    expect(stuck.all()).toEqual([]);

    await expect(window.publish(message)).rejects.toMatchObject({ kind: 'not-connected' });
    expect(stuck.all()).toHaveLength(1);
    expect(channel.confirms).toHaveLength(1_000);
  });

  test('keeps the channel when late confirms have made room', async () => {
    const { channel, stuck, publishMany } = createFixture();
    await publishMany(1_000);
    for (const confirm of channel.confirms.splice(0)) confirm(null);
    const publishing = publishMany(1);
    for (const confirm of channel.confirms) confirm(null);
    expect(await publishing).toEqual([{ status: 'fulfilled', value: undefined }]);
    expect(stuck.all()).toEqual([]);
  });
});
