import { expect, test } from '@jest/globals';
import { traceSubjectOf, queryOf, parseTraceSubject } from './trace-subject.js';

test.each([
  [' evt_1 ', { kind: 'event', id: 'evt_1' }],
  ['dlv_1', { kind: 'delivery', id: 'dlv_1' }],
  ['job_1', { kind: 'resource', id: 'job_1' }],
  ['5f0e', { kind: 'resource', id: '5f0e' }],
])('%p is recognised, and the address keeps it', (text, asked) => {
  expect(parseTraceSubject(text)).toEqual(asked);
  const found = parseTraceSubject(text);
  expect(found && traceSubjectOf(new URLSearchParams(queryOf(found)))).toEqual(asked);
});

test('an empty id has no subject', () => {
  expect(parseTraceSubject('  ')).toBeUndefined();
  expect(traceSubjectOf(new URLSearchParams('resourceId='))).toBeUndefined();
});
