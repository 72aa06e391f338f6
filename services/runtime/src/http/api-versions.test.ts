import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { createApiVersions, type Rewrite, type SupersededVersion } from './api-versions.js';

const steps = z.array(z.string()).catch([]);
const note =
  (step: string): Rewrite =>
  (object) => ({ ...object, steps: [...steps.parse(object['steps']), step] });
const deprecated = {
  since: new Date('2026-03-01T00:00:00.500Z'),
  sunset: new Date('2026-05-30T00:00:00.500Z'),
  link: '/changelog',
};
const oldest: SupersededVersion = {
  date: '2025-11-01',
  deprecated,
  differences: {
    one: { request: { query: note('query 1'), body: note('body 1') }, answer: note('answer 1') },
    two: { request: { body: note('body 1') } },
  },
};
const older: SupersededVersion = {
  date: '2026-03-01',
  deprecated,
  differences: {
    one: { request: { query: note('query 2'), body: note('body 2') }, answer: note('answer 2') },
    three: { answer: note('answer 2') },
  },
};
const versions = createApiVersions({ superseded: [oldest, older], current: '2026-08-26' });

/** What each part of a translation does to an empty object. */
function stepsOf(date: string, operationId: string): unknown {
  const { query, body, answer } = versions.select(date).version.translationOf(operationId) ?? {};
  return { query: query?.({})['steps'], body: body?.({})['steps'], answer: answer?.({})['steps'] };
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

  test('says of itself which one it is, and when it is superseded until when it works', () => {
    expect(versions.current.headers).toEqual({ 'x-svc-api-version': '2026-08-26' });
    expect(versions.select('2025-11-01').version.headers).toEqual({
      'x-svc-api-version': '2025-11-01',
      Deprecation: '@1772323200',
      Sunset: 'Sat, 30 May 2026 00:00:00 GMT',
      Link: '</changelog>; rel="deprecation"',
    });
  });

  test('is translated through every version between it and the current one', () => {
    expect(stepsOf('2025-11-01', 'one')).toEqual({
      query: ['query 1', 'query 2'],
      body: ['body 1', 'body 2'],
      answer: ['answer 2', 'answer 1'],
    });
    expect(stepsOf('2026-03-01', 'one')).toEqual({
      query: ['query 2'],
      body: ['body 2'],
      answer: ['answer 2'],
    });
    expect(stepsOf('2025-11-01', 'two')).toEqual({ body: ['body 1'] });
    expect(stepsOf('2025-11-01', 'three')).toEqual({ answer: ['answer 2'] });
  });

  test('is not translated at all where nothing differs', () => {
    expect(versions.select('2026-03-01').version.translationOf('two')).toBeUndefined();
    expect(versions.select('2025-11-01').version.translationOf('four')).toBeUndefined();
    expect(versions.select('2025-11-01').version.translationOf('constructor')).toBeUndefined();
    expect(versions.current.translationOf('one')).toBeUndefined();
  });
});

describe('versions', () => {
  test.each([
    [[older, oldest], '2026-08-26'],
    [[older, older], '2026-08-26'],
    [[oldest, older], '2026-03-01'],
    [[oldest], '2026-8-26'],
  ])('stand in order of their dates: %#', (superseded, current) => {
    expect(() => createApiVersions({ superseded, current })).toThrow('version');
  });

  test('work for at least 90 days after the next one was announced', () => {
    const sunset = new Date(deprecated.sunset.getTime() - 1);
    const hasty = { ...oldest, deprecated: { ...deprecated, sunset } };
    expect(() => createApiVersions({ superseded: [hasty], current: '2026-08-26' })).toThrow('90 days');
  });
});
