import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ResponseStream } from '@partner/gateway-kit/http/response-stream';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { createManualTimers, type ManualTimers } from '@partner/kernel/testing/manual-timers';
import { Registry } from 'prom-client';
import { type ChangeStreams, createChangeStreams } from './change-streams.js';

const session = (id: string, companyId = 'cmp_1') => ({ id, companyId });

interface RecordedStream extends ResponseStream {
  readonly received: string[];
}

let timers: ManualTimers;
let metrics: Registry;
let streams: ChangeStreams;
let isAlive: (id: string) => Promise<boolean>;

beforeEach(() => {
  timers = createManualTimers();
  metrics = new Registry();
  isAlive = async () => true;
  streams = createChangeStreams({
    isAlive: ({ id }) => isAlive(id),
    logger: silentLogger,
    metrics,
    after: timers.after,
  });
});

function createStream(): RecordedStream {
  const over = new AbortController();
  const received: string[] = [];
  return {
    received,
    over: over.signal,
    write: (text) => {
      if (!over.signal.aborted) received.push(text);
    },
    end: () => over.abort(),
  };
}

function open(of: ReturnType<typeof session>): RecordedStream {
  const stream = createStream();
  streams.open(of)(stream);
  stream.received.length = 0;
  return stream;
}

const changed = (...webhookIds: string[]) => `event: changed\ndata: ${JSON.stringify({ webhookIds })}\n\n`;

/** Advances the time to the next comment, and waits for the session check that comes with it. */
async function beat(): Promise<void> {
  timers.pass(15_000);
  await new Promise(setImmediate);
}

describe('a stream of changes', () => {
  test('sends to each stream only the changes of its company', () => {
    const [one, two, other] = [open(session('a')), open(session('b')), open(session('c', 'cmp_2'))];
    streams.changed('cmp_1', ['whk_1']);
    expect([one.received, two.received, other.received]).toEqual([
      [changed('whk_1')],
      [changed('whk_1')],
      [],
    ]);
  });

  test('gets one event a second at most [CONSOLE-2]', () => {
    const stream = open(session('a'));
    for (const id of ['whk_1', 'whk_2', 'whk_3', 'whk_2']) streams.changed('cmp_1', [id]);
    expect(stream.received.splice(0)).toEqual([changed('whk_1')]);
    timers.pass(1_000);
    expect(stream.received).toEqual([changed('whk_2', 'whk_3')]);
  });

  test('gets the event to reload everything when a change may have been missed', () => {
    const stream = open(session('a'));
    streams.lookAgain();
    expect(stream.received).toEqual([changed()]);
  });

  test('gets a comment every 15 seconds while its session is active, and ends with it or if it cannot be checked [CONSOLE-2]', async () => {
    const stream = open(session('a'));
    timers.pass(14_999);
    expect(stream.received).toEqual([]);
    timers.pass(1);
    await new Promise(setImmediate);
    await beat();
    expect(stream.received).toEqual([':\n\n', ':\n\n']);
    const other = open(session('b'));
    isAlive = (id) => (id === 'a' ? Promise.resolve(false) : Promise.reject(new Error('Redis is away')));
    await beat();
    expect([stream.over.aborted, other.over.aborted]).toEqual([true, true]);
    expect(timers.waiting()).toBe(0);
  });

  test('ends after 10 minutes [CONSOLE-2]', async () => {
    const stream = open(session('a'));
    for (let n = 0; n < 39; n += 1) await beat();
    expect(stream.over.aborted).toBe(false);
    await beat();
    expect(stream.over.aborted).toBe(true);
    expect(timers.waiting()).toBe(0);
  });

  test('of one company are at most half, and leave the rest to the others [LIMIT-8]', () => {
    const opened = Array.from({ length: 500 }, (_, n) => open(session(`a${n}`, 'cmp_hostile')));
    expect(() => streams.open(session('one more', 'cmp_hostile'))).toThrow('too many streams');
    opened[0]?.end();
    open(session('one more', 'cmp_hostile'));
    for (let n = 0; n < 250; n += 1) open(session(`b${n}`, 'cmp_other'));
  });

  test('that is over before it starts releases its slot', () => {
    for (let n = 0; n < 20; n += 1) {
      const stream = createStream();
      const begin = streams.open(session('a'));
      stream.end();
      begin(stream);
    }
    expect(timers.waiting()).toBe(0);
  });

  test('ends on shutdown, and later ones end at once', async () => {
    const stream = open(session('a'));
    const begin = streams.open(session('b'));
    streams.close();
    expect(stream.over.aborted).toBe(true);
    for (const beginLate of [begin, streams.open(session('a'))]) {
      const late = createStream();
      beginLate(late);
      expect(late.over.aborted).toBe(true);
    }
    expect(timers.waiting()).toBe(0);
    expect(await metrics.metrics()).toContain('partner_console_change_streams 0');
  });

  test('is counted while it is open', async () => {
    open(session('a'));
    open(session('c', 'cmp_2'));
    expect(await metrics.metrics()).toContain('partner_console_change_streams 2');
  });
});
