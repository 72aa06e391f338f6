import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ApiVersionLife } from '@partner/proto-contracts/api/versions';
import { z } from 'zod';
import { createApiVersions, type Rewrite, type VersionDifferences } from './api-versions.js';

const steps = z.array(z.string()).catch([]);
const note =
  (step: string): Rewrite =>
  (object) => ({ ...object, steps: [...steps.parse(object['steps']), step] });
const oldest: ApiVersionLife = {
  date: '2025-11-01',
  announced: '2025-10-20',
  superseded: { ends: '2026-05-30', link: '/changelog' },
};
const older: ApiVersionLife = {
  date: '2026-03-01',
  announced: '2026-03-01',
  superseded: { ends: '2026-11-24', link: '/changelog' },
};
const current: ApiVersionLife = { date: '2026-08-26', announced: '2026-08-20' };
const differences: Readonly<Record<string, VersionDifferences>> = {
  [oldest.date]: {
    one: { request: { query: note('query 1'), body: note('body 1') }, response: note('response 1') },
    two: { request: { body: note('body 1') } },
  },
  [older.date]: {
    one: { request: { query: note('query 2'), body: note('body 2') }, response: note('response 2') },
    three: { response: note('response 2') },
  },
};
let now = new Date('2026-05-29T23:59:59.999Z');
beforeEach(() => {
  now = new Date('2026-05-29T23:59:59.999Z');
});
const madeOf = (...lives: ApiVersionLife[]) => createApiVersions({ lives, differences: {}, now: () => now });
const versions = createApiVersions({ lives: [oldest, older, current], differences, now: () => now });

/** Returns the effect of each step of a translation on an empty object. */
function stepsOf(date: string, operationId: string): unknown {
  const { query, body, response } = versions.select(date).version.translationOf(operationId) ?? {};
  return { query: query?.({})['steps'], body: body?.({})['steps'], response: response?.({})['steps'] };
}

describe('a version', () => {
  test('is the current one unless another known one is pinned', () => {
    expect(versions.select(undefined)).toEqual({ version: versions.current, problem: undefined });
    expect(versions.select('2026-08-26')).toEqual({ version: versions.current, problem: undefined });
    expect(versions.select('2025-11-01').version.date).toBe('2025-11-01');
    for (const header of ['', '2026-08-27', '2026-08-26, 2026-08-26', ' 2026-08-26', '__proto__']) {
      expect(versions.select(header)).toEqual({
        version: versions.current,
        problem: 'must be one of 2025-11-01, 2026-03-01, 2026-08-26',
      });
    }
  });

  test('is translated through every version between it and the current one', () => {
    expect(stepsOf('2025-11-01', 'one')).toEqual({
      query: ['query 1', 'query 2'],
      body: ['body 1', 'body 2'],
      response: ['response 2', 'response 1'],
    });
    expect(stepsOf('2026-03-01', 'one')).toEqual({
      query: ['query 2'],
      body: ['body 2'],
      response: ['response 2'],
    });
    expect(stepsOf('2025-11-01', 'two')).toEqual({ body: ['body 1'] });
    expect(stepsOf('2025-11-01', 'three')).toEqual({ response: ['response 2'] });
  });

  test('is not translated where nothing differs', () => {
    expect(versions.select('2026-03-01').version.translationOf('two')).toBeUndefined();
    expect(versions.select('2025-11-01').version.translationOf('four')).toBeUndefined();
    expect(versions.select('2025-11-01').version.translationOf('constructor')).toBeUndefined();
    expect(versions.current.translationOf('one')).toBeUndefined();
  });
});

describe('a version that has ended', () => {
  test('is refused from its end date on, with that date and the available versions [VERSION-8]', () => {
    now = new Date('2026-05-30T00:00:00Z');
    expect(versions.select('2025-11-01')).toEqual({
      version: versions.current,
      problem: 'must be one of 2026-03-01, 2026-08-26; 2025-11-01 ended on 2026-05-30',
    });
    expect(versions.select('2026-03-01').version.date).toBe('2026-03-01');
    now = new Date('2026-11-24T00:00:00Z');
    expect(versions.select('2026-03-01').problem).toBe('must be 2026-08-26; 2026-03-01 ended on 2026-11-24');
    expect(versions.select('2026-03-02').problem).toBe('must be 2026-08-26');
  });
});

describe('versions', () => {
  test.each([
    [
      'order of date',
      [
        { ...older, date: oldest.date },
        { ...current, date: oldest.date },
      ],
    ],
    ['order of date', [older, { ...current, date: '2026-02-28' }]],
    ['must be dates', [{ ...current, date: '2026-8-26' }]],
    ['must be dates', [{ ...current, announced: '2026-13-01' }]],
    ['must have an end', [{ date: older.date, announced: older.announced }, current]],
    ['must have an end', [oldest, older]],
    [
      'no later than its successor',
      [{ ...oldest, superseded: { ends: '2026-11-25', link: '/' } }, older, current],
    ],
    ['a current version', []],
  ])('have consistent lifetimes (%s): %#', (problem, lives) => {
    expect(() => madeOf(...lives)).toThrow(problem);
  });

  test('work for at least 90 days after the next one is announced', () => {
    const ending = (ends: string) => ({ ...oldest, superseded: { ends, link: '/' } });
    expect(() => madeOf(ending('2026-05-29'), older, current)).toThrow('90 days');
    expect(() => madeOf(ending('2026-05-30'), older, current)).not.toThrow();
  });

  test('differ only where one is superseded', () => {
    const given = { lives: [older, current], now: () => now };
    for (const date of [current.date, oldest.date]) {
      expect(() => createApiVersions({ ...given, differences: { [date]: {} } })).toThrow(
        'superseded version',
      );
    }
  });
});
