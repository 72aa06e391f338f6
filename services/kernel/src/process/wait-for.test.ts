import { describe, expect, jest, test } from '@jest/globals';
import { z } from 'zod';
import { createLoggerTo } from '../telemetry/logger.js';
import { failureText, hostsOf, RefusedError, waitFor, type WaitOptions } from './wait-for.js';

const line = z.object({ for: z.string(), cause: z.string().optional(), msg: z.string() });

/** A logger whose lines a test reads. */
function collectLog() {
  const lines: unknown[] = [];
  const write = (text: string) => lines.push(line.parse(JSON.parse(text)));
  return { lines, logger: createLoggerTo({ write }, { service: 'test', level: 'info' }) };
}

/** Waits with attempts that fail with these errors in turn, then return `there`. Collects the log. */
function waiting(failures: readonly Error[], options: Partial<WaitOptions> = {}) {
  const { logger, lines } = collectLog();
  const left = [...failures];
  const attempt = async () => {
    const failure = left.shift();
    if (failure === undefined) return 'there';
    throw failure;
  };
  const result = waitFor('Postgres at db:5432', attempt, {
    logger,
    signal: new AbortController().signal,
    backoff: { nextDelayMs: () => 0 },
    ...options,
  });
  return { lines, result };
}

const REFUSED = new RefusedError('Postgres refuses the connection: password authentication failed');

describe('waiting for a dependency', () => {
  test('repeats the attempt until it succeeds, and reports each cause once', async () => {
    const absent = () => new Error('connect ECONNREFUSED 10.0.0.1:5432');
    const { result, lines } = waiting([absent(), absent(), REFUSED, absent(), REFUSED]);
    await expect(result).resolves.toBe('there');
    const about = { for: 'Postgres at db:5432' };
    expect(lines).toEqual([
      { ...about, cause: 'connect ECONNREFUSED 10.0.0.1:5432', msg: 'dependency.waiting' },
      { ...about, cause: REFUSED.message, msg: 'dependency.waiting' },
      { ...about, msg: 'dependency.reached' },
    ]);
  });

  test('a job ends when it is refused for good', async () => {
    const { result } = waiting([new Error('not yet'), REFUSED], { untilRefused: true });
    await expect(result).rejects.toBe(REFUSED);
  });

  test('ends in a pause when the process is stopped', async () => {
    const stopping = new AbortController();
    const nextDelayMs = () => {
      setImmediate(() => stopping.abort());
      return 3_600_000;
    };
    const { result } = waiting([new Error('not yet')], {
      signal: stopping.signal,
      backoff: { nextDelayMs },
    });
    await expect(result).rejects.toThrow('aborted');
  });

  test('an attempt without a result is reported after a second', async () => {
    jest.useFakeTimers();
    try {
      const { lines, logger } = collectLog();
      const { signal } = new AbortController();
      void waitFor('Redis at cache:6379', () => new Promise(() => undefined), { logger, signal });
      jest.advanceTimersByTime(1_000);
      expect(lines).toEqual([
        { for: 'Redis at cache:6379', cause: 'no response yet', msg: 'dependency.waiting' },
      ]);
    } finally {
      jest.useRealTimers();
    }
  });
});

test('the text of a failure has its causes, and all errors of several addresses', () => {
  const cause = new AggregateError([new Error('connect ECONNREFUSED ::1'), new Error('ETIMEDOUT')]);
  expect(failureText(new Error('unavailable', { cause }))).toBe(
    'unavailable: connect ECONNREFUSED ::1; ETIMEDOUT',
  );
});

test('hosts are shown without credentials', () => {
  expect(hostsOf('amqps://user:secret@a:5671/vhost,amqps://user:secret@b/vhost')).toBe('a:5671, b');
  expect(hostsOf('postgres://user:1,secret@a:5432/partner')).toBe('a:5432');
});
