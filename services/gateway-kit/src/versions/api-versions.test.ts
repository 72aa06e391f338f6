import { expect, test } from '@jest/globals';
import type { ApiVersionLife } from '@partner/proto-contracts/api/versions';
import { z } from 'zod';
import { createApiVersions, type Rewrite } from './api-versions.js';

const steps = z.array(z.string()).catch([]);
const note =
  (step: string): Rewrite =>
  (object) => ({ ...object, steps: [...steps.parse(object['steps']), step] });
const superseded = (date: string, announced: string, ends: string): ApiVersionLife => ({
  ...{ date, announced },
  superseded: { ends, link: '/changelog' },
});
const oldest = superseded('2025-11-01', '2025-10-20', '2026-05-30');
const older = superseded('2026-03-01', '2026-03-01', '2026-11-24');
const current: ApiVersionLife = { date: '2026-08-26', announced: '2026-08-20' };
const versionsAt = (now: string) =>
  createApiVersions({
    lives: [oldest, older, current],
    differences: {
      [oldest.date]: {
        one: { request: { query: note('query 1'), body: note('body 1') }, response: note('response 1') },
        two: { request: { body: note('body 1') } },
      },
      [older.date]: {
        one: { request: { query: note('query 2'), body: note('body 2') }, response: note('response 2') },
        three: { response: note('response 2') },
      },
    },
    now: () => new Date(now),
  });
const versions = versionsAt('2026-05-29T23:59:59.999Z');

test('a version is the current one unless another known one is pinned [VERSION-7]', () => {
  for (const header of [undefined, current.date])
    expect(versions.select(header)).toEqual({ version: versions.current, problem: undefined });
  expect(versions.select(oldest.date).version.date).toBe(oldest.date);
  const problem = 'must be one of 2025-11-01, 2026-03-01, 2026-08-26';
  for (const header of ['', '2026-08-27', '2026-08-26, 2026-08-26', ' 2026-08-26', '__proto__'])
    expect(versions.select(header)).toEqual({ version: versions.current, problem });
});

test.each([
  [
    oldest,
    'one',
    [
      ['query 1', 'query 2'],
      ['body 1', 'body 2'],
      ['response 2', 'response 1'],
    ],
  ],
  [older, 'one', [['query 2'], ['body 2'], ['response 2']]],
  [oldest, 'two', [undefined, ['body 1'], undefined]],
  [oldest, 'three', [undefined, undefined, ['response 2']]],
  [older, 'two', undefined],
  [oldest, 'four', undefined],
  [oldest, 'constructor', undefined],
  [current, 'one', undefined],
] as const)('the version %j is translated step by step where %s differs: %j', ({ date }, id, expected) => {
  const translation = versions.select(date).version.translationOf(id);
  const { query, body, response } = translation ?? {};
  const taken = translation && [query, body, response].map((rewrite) => rewrite?.({})['steps']);
  expect(taken).toEqual(expected);
});

test.each([
  ['2026-05-30', oldest, 'must be one of 2026-03-01, 2026-08-26; 2025-11-01 ended on 2026-05-30'],
  ['2026-05-30', older, undefined],
  ['2026-11-24', older, 'must be 2026-08-26; 2026-03-01 ended on 2026-11-24'],
  ['2026-11-24', { date: '2026-03-02' }, 'must be 2026-08-26'],
] as const)(
  'from %s on, the version %j is refused from its end date on: %s [VERSION-8]',
  (now, life, problem) => {
    const { version, problem: said } = versionsAt(now).select(life.date);
    expect([said, version.date]).toEqual([problem, problem === undefined ? life.date : current.date]);
  },
);

test.each<[string, ...ApiVersionLife[]]>([
  ['order of date', { ...older, date: oldest.date }, { ...current, date: oldest.date }],
  ['order of date', older, { ...current, date: '2026-02-28' }],
  ['must be dates', { ...current, date: '2026-8-26' }],
  ['must be dates', { ...current, announced: '2026-13-01' }],
  ['must have an end', { date: older.date, announced: older.announced }, current],
  ['must have an end', oldest, older],
  ['no later than its successor', superseded(oldest.date, oldest.announced, '2026-11-25'), older, current],
  ['90 days', superseded(oldest.date, oldest.announced, '2026-05-29'), older, current],
  ['a current version'],
])('versions have consistent lifetimes, of at least 90 days (%s): %#', (problem, ...lives) => {
  const made = () => createApiVersions({ lives, differences: {}, now: () => new Date() });
  expect(made).toThrow(problem);
});

test.each([current.date, oldest.date])('versions differ only where one is superseded: %s', (date) => {
  const given = { lives: [older, current], now: () => new Date() };
  expect(() => createApiVersions({ ...given, differences: { [date]: {} } })).toThrow('superseded version');
});
