import { describe, expect, test } from '@jest/globals';
import { createLogger } from './logger.js';

function logged(fields: Record<string, unknown>): Record<string, unknown> {
  let line = '';
  const logger = createLogger({
    service: 'test',
    level: 'info',
    destination: { write: (text: string) => (line = text) },
  });
  logger.info(fields, 'thing.happened');
  const parsed: unknown = JSON.parse(line);
  return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
}

describe('the log', () => {
  test('has a line of JSON with service, level by name, time and event', () => {
    expect(logged({ jobId: 'job_1' })).toMatchObject({
      service: 'test',
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      jobId: 'job_1',
      msg: 'thing.happened',
    });
  });

  test.each([
    [{ password: 'hunter2' }],
    [{ headers: { 'X-Api-Key': 'hunter2' } }],
    [{ request: { headers: { cookie: 'hunter2', 'set-cookie': ['hunter2'] } } }],
    [{ a: { b: { c: { secret: 'hunter2' } } } }],
    [{ headers: { __proto__: null, authorization: 'hunter2' } }],
    [{ 'webhook-signature': 'hunter2', 'x-svc-signature': 'hunter2', token: 'hunter2', apiKey: 'hunter2' }],
  ])('redacts secrets wherever they stand: %j', (fields: Record<string, unknown>) => {
    expect(JSON.stringify(logged(fields))).not.toContain('hunter2');
  });

  test('leaves the object that was logged as it is', () => {
    const fields = { headers: { cookie: 'hunter2' } };
    logged(fields);
    expect(fields).toEqual({ headers: { cookie: 'hunter2' } });
  });
});
