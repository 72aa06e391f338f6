import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { createLoggerTo } from './logger.js';
import { requestIdIn, runWithRequestId } from './request-context.js';

const logLine = z.looseObject({ msg: z.string() });

function logged(fields: Record<string, unknown>): Record<string, unknown> {
  let line = '';
  const logger = createLoggerTo(
    { write: (text: string) => (line = text) },
    { service: 'test', level: 'info' },
  );
  logger.info(fields, 'thing.happened');
  const parsed: unknown = JSON.parse(line);
  return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
}

/** The arguments of a process that has a `logger` and runs the code. */
function programOf(code: string): readonly string[] {
  const module = JSON.stringify(path.join(import.meta.dirname, 'logger.js'));
  const program = `
    import { createLogger } from ${module};
    const logger = createLogger({ service: 'test', level: 'info' });
    ${code}`;
  return ['--input-type=module', '--eval', program];
}

/** The lines that such a process writes until its end. */
async function linesOf(code: string) {
  const { stdout } = await promisify(execFile)(process.execPath, programOf(code), {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout
    .trim()
    .split('\n')
    .map((line) => logLine.parse(JSON.parse(line)));
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
  ])(
    'redacts secrets at any position, but not in the logged object: %j',
    (fields: Record<string, unknown>) => {
      const before = JSON.stringify(fields);
      expect(JSON.stringify(logged(fields))).not.toContain('hunter2');
      expect(JSON.stringify(fields)).toBe(before);
    },
  );

  test('has the id of the current request, and none outside of requests', () => {
    expect(runWithRequestId('req-1', () => logged({}))).toMatchObject({ requestId: 'req-1' });
    expect(logged({})).not.toHaveProperty('requestId');
    for (const malformed of [undefined, '', 'a b', 'x'.repeat(129), 7])
      expect(requestIdIn({ 'x-request-id': malformed })).toBeUndefined();
  });

  test('is complete after an exit', async () => {
    const lines = await linesOf(`
      for (let line = 1; line <= 500; line += 1) logger.info({ line }, 'thing.happened');
      setImmediate(() => {
        for (let line = 501; line <= 1000; line += 1) logger.info({ line }, 'thing.happened');
        process.exit();
      });`);
    expect(lines.map(({ line }) => line)).toEqual(Array.from({ length: 1000 }, (_, index) => index + 1));
  });

  test('is written while the process goes on, each time', async () => {
    const program = programOf(`process.stdin.on('data', () => logger.info({}, 'thing.happened'));`);
    const running = spawn(process.execPath, program, { stdio: ['pipe', 'pipe', 'inherit'] });
    for (let line = 0; line < 2; line += 1) {
      running.stdin.write('.');
      const written: unknown[] = await once(running.stdout, 'data');
      expect(String(written[0])).toContain('thing.happened');
    }
    running.kill();
    await once(running, 'exit');
  });

  test('holds at most 16 MiB for its reader, and counts the lines that it drops', async () => {
    const lines = await linesOf(`
      const text = 'x'.repeat(1024 * 1024);
      for (let line = 1; line <= 20; line += 1) logger.info({ line, text }, 'thing.happened');`);
    const dropped = lines.find(({ msg }) => msg === 'log.lines_dropped');
    expect(lines.filter(({ msg }) => msg === 'thing.happened')).toHaveLength(15);
    expect(dropped).toMatchObject({ level: 'warn', lines: 5 });
  });
});
