import { describe, expect, test } from '@jest/globals';
import { type ChangeSource, isConcerned, listenForChanges, webhookIdsOf } from './live-changes.js';

interface FakeSource extends ChangeSource {
  emit(type: string, data?: unknown): void;
  readonly isClosed: () => boolean;
}

function fakeSource(): FakeSource {
  const listeners = new Map<string, (event: { data?: unknown }) => void>();
  let closed = false;
  return {
    addEventListener: (type, listen) => void listeners.set(type, listen),
    close: () => {
      closed = true;
    },
    emit: (type, data) => listeners.get(type)?.({ data }),
    isClosed: () => closed,
  };
}

function listening() {
  const sources: FakeSource[] = [];
  const changes: (readonly string[])[] = [];
  const waits: number[] = [];
  let due: (() => void) | undefined;
  const end = listenForChanges({
    open: () => {
      const source = fakeSource();
      sources.push(source);
      return source;
    },
    onChange: (ids) => changes.push(ids),
    later: (work, ms) => {
      waits.push(ms);
      due = work;
      return () => {
        due = undefined;
      };
    },
  });
  return {
    ...{ sources, changes, waits, end },
    pass: () => {
      const work = due;
      due = undefined;
      work?.();
    },
  };
}

test('reports which subscriptions changed', () => {
  const { sources, changes } = listening();
  sources[0]?.emit('open');
  sources[0]?.emit('changed', '{"webhookIds":["whk_1"]}');
  expect(changes).toEqual([['whk_1']]);
});

test('reloads everything after an interruption, as soon as the stream is open', () => {
  const { sources, changes, pass } = listening();
  sources[0]?.emit('open');
  sources[0]?.emit('error');
  expect(sources[0]?.isClosed()).toBe(true);
  expect(changes).toEqual([]);

  pass();
  sources[1]?.emit('open');
  expect(changes).toEqual([[]]);
});

test('backs off up to a minute, and restarts the backoff after an open stream', () => {
  const { sources, waits, pass } = listening();
  for (let time = 0; time < 7; time += 1) {
    sources.at(-1)?.emit('error');
    pass();
  }
  expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);

  sources.at(-1)?.emit('open');
  sources.at(-1)?.emit('error');
  expect(waits.at(-1)).toBe(2_000);
});

test('opens no stream once it is stopped', () => {
  const { sources, end, pass } = listening();
  sources[0]?.emit('error');
  end();
  pass();
  expect(sources).toHaveLength(1);
});

describe('the ids of a change', () => {
  test.each([
    ['{"webhookIds":["a","b"]}', ['a', 'b']],
    ['{"webhookIds":[]}', []],
    ['{', []],
    ['{"webhookIds":7}', []],
    [undefined, []],
  ])('in %j are %j', (data, ids) => {
    expect(webhookIdsOf(data)).toEqual(ids);
  });
});

test.each([
  [{ live: true }, [], true],
  [{ live: true }, ['whk_1'], true],
  [{ live: true, webhookId: 'whk_1' }, ['whk_1', 'whk_2'], true],
  [{ live: true, webhookId: 'whk_1' }, ['whk_2'], false],
  [{ live: true, webhookId: 'whk_1' }, [], true],
  [{ live: true, webhookId: 'whk_1', isSum: true }, ['whk_1'], false],
  [{ live: true, isSum: true }, ['whk_1'], false],
  [{ live: true, webhookId: 'whk_1', isSum: true }, [], true],
  [{ live: false }, [], false],
  [undefined, ['whk_1'], false],
])('data with %j after a change of %j: %s', (meta, webhookIds, concerned) => {
  expect(isConcerned(meta, webhookIds)).toBe(concerned);
});
