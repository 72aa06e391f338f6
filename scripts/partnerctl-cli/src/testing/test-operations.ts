import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { eventually } from '@partner/test-kit/eventually';
import { parseJson, valueAt } from '../output.js';
import { DEAD, document, ended, ends, MAIN, messageIds, refused, run, stack } from './partnerctl-on-stack.js';

const finding = (check: string, verdict: string): unknown => expect.objectContaining({ check, verdict });

export function testOperations(): void {
  describe('dead letters', () => {
    test('are listed, shown without their content, requeued and discarded', async () => {
      await refused('first');
      await refused('second');
      expect(await messageIds()).toEqual(['first', 'second']);
      const counts = await document('dead-letters', 'list');
      expect(valueAt(counts, 'queues')).toContainEqual(
        expect.objectContaining({ queue: DEAD, deadLetters: 2, oldest: expect.anything() }),
      );
      const shown = await document('dead-letters', 'show', `${DEAD}.dead`, 'second');
      expect(shown).toMatchObject({ messageId: 'second', type: 'partner.platform.v1.ProjectCreated' });
      expect(valueAt(shown, 'body')).toBeUndefined();
      expect(valueAt(shown, 'reason')).not.toBe('');
      expect(valueAt(shown, 'diedAt')).toMatch(/^\d{4}-\d\d-\d\dT/);
      const withBody = await document('dead-letters', 'show', DEAD, 'second', '--body');
      expect(valueAt(withBody, 'body.projectId')).toMatch(/^prj_/);

      expect((await run(['status', '--check'])).exitCode).toBe(1);
      expect((await run(['status', '--check', '--max-dead', '2'])).exitCode).toBe(0);
      const doctor = await document('doctor');
      expect(valueAt(doctor, 'findings')).toContainEqual(finding('dead letters', 'warn'));

      await ends(2, 'dead-letters', 'requeue', DEAD, 'second');
      expect(await messageIds()).toEqual(['first', 'second']);
      // It is refused again, and so dead-lettered again.
      await document('dead-letters', 'requeue', DEAD, 'first', '--yes');
      await eventually('its second death', async () => (await messageIds()).includes('first'));
      const one = await run(['dead-letters', 'discard', DEAD, 'unknown', 'second', '--yes']);
      expect(one).toMatchObject({ exitCode: 3, err: expect.stringMatching(/not found among .*: unknown\n/) });
      expect(await document('dead-letters', 'discard', DEAD, '--all', '--yes')).toMatchObject({
        discarded: 1,
        remaining: 0,
      });
      expect(await messageIds()).toEqual([]);
    });

    test('that a limit or an interruption leaves are reported, and a killed tool loses none', async () => {
      for (const id of ['a', 'b', 'c']) await refused(id);
      expect(await document('dead-letters', 'list', DEAD, '--limit', '2')).toMatchObject({
        deadLetters: [{}, {}],
        hasMore: true,
      });
      expect((await run(['dead-letters', 'list', DEAD, '--limit', '2'])).out).toContain('there are more');
      expect(await document('dead-letters', 'list', DEAD, '--limit', '3')).toMatchObject({ hasMore: false });

      const looked = await run(['dead-letters', 'discard', DEAD, '--all', '--limit', '1']);
      expect(looked).toMatchObject(ended(2, 'and 2 would remain'));
      const some = await run(['dead-letters', 'discard', DEAD, '--all', '--limit', '1', '--yes', '--json']);
      expect(some).toMatchObject(ended(1, '2 messages remain'));
      expect(parseJson(some.out)).toEqual({ queue: DEAD, discarded: 1, remaining: 2 });

      for (const action of ['requeue', 'discard']) {
        const interruption = new AbortController();
        const stopped = await run(['dead-letters', action, DEAD, '--all', '--yes', '--json'], '', {
          signal: interruption.signal,
          isWatched: true,
          tell: (text) => {
            if (text.startsWith('going through')) interruption.abort();
          },
        });
        expect(stopped).toMatchObject(ended(130, 'interrupted'));
        expect(parseJson(stopped.out)).toMatchObject({ queue: DEAD, remaining: 2 });
      }
      const ids = await messageIds();
      expect(ids).toHaveLength(2);

      const args = [MAIN, '--directory', stack.directory, 'dead-letters', 'list', DEAD];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await once(child, 'close');
      await eventually('all of them', async () => (await messageIds()).length === ids.length);
      await expect(messageIds()).resolves.toEqual(ids);
      await document('dead-letters', 'discard', DEAD, '--all', '--yes');
    });
  });

  describe('the state of the service', () => {
    test('is reported by status and doctor', async () => {
      const status = await document('status');
      expect(status).toMatchObject({ environment: 'sandbox', stack: { baseUrl: stack.description.baseUrl } });
      expect(valueAt(status, 'queues.0')).toMatchObject({
        name: 'job-state.inbound-rpc',
        messages: 0,
        consumers: 1,
      });
      const { out } = await run(['status']);
      for (const line of ['deliveries due', 'behind failing endpoints', 'webhooks with a failing endpoint'])
        expect(out).toContain(line);
      const doctor = await document('doctor');
      expect(valueAt(doctor, 'healthy')).toBe(true);
      expect(JSON.stringify(doctor)).toContain('readiness of console');

      const interruption = new AbortController();
      let readings = 0;
      const watched = await run(['status', '--watch', '1'], '', {
        signal: interruption.signal,
        clear: () => {
          readings += 1;
          if (readings === 2) interruption.abort();
        },
      });
      expect(watched).toMatchObject({ exitCode: 0, err: '' });
      expect(watched.out.match(/deliveries due/g)).toHaveLength(2);

      // As in scripts/up: without a vhost it is that of the stack.
      const AMQP_URL = new URL('/', stack.description.amqpUrl).href;
      const named = await run(['status', '--json'], '', { env: { AMQP_URL } });
      expect(named).toMatchObject({ exitCode: 0, err: '' });
      expect(valueAt(parseJson(named.out), 'stack.baseUrl')).toBe(stack.description.baseUrl);
    });

    test('doctor finds an unavailable component, and commands that need it report it', async () => {
      const jobState = stack.process('job-state');
      await jobState.stop();
      const doctor = await run(['doctor', '--json', '--timeout', '5']);
      expect(doctor.exitCode).toBe(1);
      const findings = valueAt(parseJson(doctor.out), 'findings');
      expect(findings).toContainEqual(finding('job-state and Postgres', 'fail'));
      expect(findings).toContainEqual(finding('services', 'fail'));
      expect(findings).toContainEqual(finding('broker', 'ok'));
      const companies = await run(['companies', 'list', '--timeout', '1']);
      expect(companies.exitCode).toBe(4);
      expect(companies.err).toContain('Is job-state running?');
      expect(companies.out).toBe('');
      await jobState.start();
      await jobState.ready();
      await ends(0, 'companies', 'list');
    });
  });
}
