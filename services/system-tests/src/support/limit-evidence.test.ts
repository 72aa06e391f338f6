import { describe, expect, test } from '@jest/globals';
import { mostAcceptedInAnyMinute, type TimedResponse, wrongWaits } from './limit-evidence.js';

function answered(sentAt: number, answeredAt: number, retryAfter?: number): TimedResponse {
  return {
    sentAt,
    answeredAt,
    status: retryAfter === undefined ? 200 : 429,
    retryAfter: retryAfter === undefined ? null : String(retryAfter),
    rateLimitPolicy: null,
    rateLimit: null,
  };
}

describe('the most requests accepted in any minute', () => {
  test('are found wherever the minute begins', () => {
    const answers = [0, 40_000, 70_000, 90_000, 99_000, 170_000].map((at) => answered(at, at + 10));
    expect(mostAcceptedInAnyMinute(answers)).toBe(4);
  });

  test('leave out what was refused, or was perhaps judged outside the minute', () => {
    const answers = [answered(0, 10), answered(1_000, 1_010, 59), answered(59_999, 60_001)];
    expect(mostAcceptedInAnyMinute(answers)).toBe(1);
    expect(mostAcceptedInAnyMinute([answered(0, 10), answered(59_980, 60_000)])).toBe(2);
    expect(mostAcceptedInAnyMinute([])).toBe(0);
  });
});

describe('a wait is wrong', () => {
  const refusal = answered(1_000, 1_010, 30);

  test('when a request was certainly accepted more than a second before its end', () => {
    expect(wrongWaits([refusal, answered(29_000, 30_000)])).toEqual([refusal]);
    expect(wrongWaits([refusal, answered(29_000, 30_001)])).toEqual([]);
    expect(wrongWaits([refusal, answered(1_005, 1_020)])).toEqual([]);
  });

  test('when a request was refused after its end and none had been accepted since', () => {
    const after = answered(31_010, 31_020, 1);
    expect(wrongWaits([refusal, after])).toEqual([refusal]);
    expect(wrongWaits([refusal, answered(31_009, 31_020, 1)])).toEqual([]);
    expect(wrongWaits([refusal, answered(30_500, 30_510), after])).toEqual([]);
  });
});
