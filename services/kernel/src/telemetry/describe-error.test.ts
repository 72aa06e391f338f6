import { describe, expect, test } from '@jest/globals';
import { describeError } from './describe-error.js';

/** The database's error for a rejected row. */
function databaseError(): Error {
  return Object.assign(new Error('new row for relation "leads" violates check constraint "leads_check"'), {
    code: '23514',
    table: 'leads',
    constraint: 'leads_check',
    detail: 'Failing row contains (lead_1, Ada Example, ada@example.com).',
    where: 'ada@example.com',
    parameters: ['ada@example.com'],
  });
}

describe('the logged form of an error', () => {
  test('is its type, message, code, table, constraint and stack, and no data', () => {
    const described = describeError(databaseError());
    expect(described).toEqual({
      type: 'Error',
      message: 'new row for relation "leads" violates check constraint "leads_check"',
      code: '23514',
      table: 'leads',
      constraint: 'leads_check',
      stack: expect.stringContaining('describe-error.test'),
    });
  });

  test('includes its causes and its aggregated errors', () => {
    const gathered = new AggregateError([databaseError()], 'all failed', { cause: databaseError() });
    const described = describeError(new RangeError('too far', { cause: gathered }));
    expect(described).toMatchObject({
      type: 'RangeError',
      cause: { type: 'AggregateError', cause: { code: '23514' }, errors: [{ code: '23514' }] },
    });
    expect(JSON.stringify(described)).not.toContain('ada@');
  });

  test('ends when causes form a cycle', () => {
    const first = new Error('first');
    first.cause = new Error('second', { cause: first });
    expect(JSON.stringify(describeError(first))).toContain('second');
  });

  test.each([
    ['a text', 'a text'],
    [{ email: 'ada@example.com' }, { type: 'object' }],
    [undefined, { type: 'undefined' }],
  ])('of a value that is not an error is a text: %j', (thrown: unknown, expected) => {
    expect(describeError(thrown)).toEqual(expected);
  });
});
