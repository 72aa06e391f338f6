import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { readStackState } from '@partner/local-stack/stack/stack-state';
import type { Stack } from '@partner/local-stack/stack/start-stack';
import { rabbitmqPrograms, withRabbitmq } from '@partner/test-kit/backing-services/rabbitmq';
import { withPostgres } from '@partner/test-kit/backing-services/postgres';
import { eventually } from '@partner/test-kit/eventually';
import { withRedis } from '@partner/test-kit/backing-services/redis';
import type { Span } from './delivery-history.js';
import { describeFault, type Fault, FAULTY_PROCESSES, type PlannedFault } from './fault-plan.js';

const run = promisify(execFile);

/** A command to a server that stands still or is away is given up after this time. */
const COMMAND_MS = 60_000;
const PERSISTENCE_MS = 300_000;
const PURGE_MS = 1_000;
const SUPERVISOR_LOOK_MS = 250;

/** What was done, when, and what came of it. */
export interface DoneFault extends Span {
  readonly what: string;
  /** Empty when it was done as planned. */
  readonly note: string;
}

/**
 * Plays a plan of faults on a stack, reports each once it is over, and resolves once all of them are over and every process is
 * ready again. A process that has ended, by a fault or without one, is started again, as a supervisor would; nothing else is done
 * for the service.
 */
export async function playFaults(
  stack: Stack,
  plan: readonly PlannedFault[],
  onDone: (done: DoneFault) => void,
): Promise<void> {
  const busy = new Map<string, Promise<unknown>>();
  const beganAt = Date.now();

  /** What befalls one process comes one after another; what befalls several overlaps. */
  function inTurn<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const turn = (busy.get(name) ?? Promise.resolve()).then(work);
    busy.set(
      name,
      turn.catch(() => undefined),
    );
    return turn;
  }

  async function note(what: string, work: () => Promise<string | undefined>): Promise<void> {
    const from = Date.now();
    let outcome: string | undefined;
    try {
      outcome = await work();
    } catch (error) {
      outcome = String(error).split('\n')[0];
    }
    onDone({ what, from, to: Date.now(), note: outcome ?? '' });
  }

  /** Starts a process until it runs and is ready, however often it ends before. */
  async function bringUp(name: string): Promise<void> {
    const process = stack.process(name);
    let last: unknown;
    await eventually(
      () => `${name} is ready; the last error: ${String(last)}`,
      async () => {
        await process.start();
        return process.ready(AbortSignal.timeout(120_000)).then(
          () => true,
          (error: unknown) => {
            last = error;
            return false;
          },
        );
      },
      { everyMs: SUPERVISOR_LOOK_MS },
    );
  }

  const end = new AbortController();
  async function supervise(): Promise<void> {
    while (!end.signal.aborted) {
      for (const name of FAULTY_PROCESSES) {
        const process = stack.process(name);
        if (process.pid !== undefined) continue;
        await inTurn(name, async () => {
          if (process.pid === undefined)
            await note(`${name} has ended by itself and is started`, () => startOnly(name));
        });
      }
      await delay(SUPERVISOR_LOOK_MS);
    }
  }
  async function startOnly(name: string): Promise<undefined> {
    await stack.process(name).start();
    return undefined;
  }

  function befall(fault: Fault): Promise<void> {
    const what = describeFault(fault);
    const work = workOf(stack, fault);
    return 'process' in fault ? inTurn(fault.process, () => note(what, work)) : note(what, work);
  }

  const supervisor = supervise();
  try {
    await Promise.all(
      plan.map(async ({ atMs, fault }) => {
        await delay(Math.max(0, beganAt + atMs - Date.now()));
        await befall(fault);
      }),
    );
  } finally {
    end.abort();
    await supervisor;
  }
  await Promise.all(FAULTY_PROCESSES.map(bringUp));
}

/** Does what a fault is. A process that it ends is started again. */
function workOf(stack: Stack, fault: Fault): () => Promise<string | undefined> {
  const { amqpUrl, postgresUrl, redisUrl } = stack.description;
  switch (fault.kind) {
    case 'kill':
    case 'restart':
      return async () => {
        const process = stack.process(fault.process);
        await (fault.kind === 'kill' ? process.kill('SIGKILL') : process.stop());
        await process.start();
        return undefined;
      };
    case 'stand still':
      return async () => {
        const process = stack.process(fault.process);
        await process.kill('SIGSTOP');
        await delay(fault.forMs);
        await process.kill('SIGCONT');
        return undefined;
      };
    case 'purge':
      return () => persistently(() => purge(amqpUrl, fault.queue));
    case 'close all broker connections':
      return () => persistently(() => closeConnections(stack));
    case 'flush redis':
      return () => persistently(() => withRedis(redisUrl, (client) => client.flushall()));
    case 'terminate all database backends':
      return () => persistently(() => terminateBackends(postgresUrl));
  }
}

/** Lines that tell what was done, with times after the first one. */
export function timelineOf(faults: readonly DoneFault[]): string {
  const done = faults.toSorted((a, b) => a.from - b.from);
  const start = done[0]?.from ?? 0;
  const seconds = (at: number) => ((at - start) / 1_000).toFixed(1).padStart(6);
  return done
    .map(
      ({ from, to, what, note }) =>
        `${seconds(from)} s to ${seconds(to)} s  ${what}${note === '' ? '' : `: ${note}`}`,
    )
    .join('\n');
}

/** Takes whatever comes into a queue for a while; a single purge mostly finds it empty. */
async function purge(amqpUrl: string, queue: string): Promise<string> {
  return withRabbitmq(amqpUrl, async (connection) => {
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    let messages = 0;
    for (const end = Date.now() + PURGE_MS; Date.now() < end;) {
      const { messageCount } = await channel.purgeQueue(queue);
      messages += messageCount;
    }
    return `${messages} messages`;
  });
}

async function terminateBackends(postgresUrl: string): Promise<string> {
  return withPostgres(postgresUrl, async (client) => {
    const ended = await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    return `${ended.rowCount} backends`;
  });
}

async function closeConnections(stack: Stack): Promise<string> {
  const source = readStackState(stack.directory)?.plan.parts.rabbitmq;
  if (source?.kind !== 'private') throw new Error('the broker is not the own one of the stack');
  const { server, controlEnv } = rabbitmqPrograms({
    directory: path.join(stack.directory, 'rabbitmq'),
    port: source.port,
    portMapperPort: source.portMapperPort ?? 0,
    distributionPort: source.distributionPort ?? 0,
  });
  const control = path.join(path.dirname(server.command), 'rabbitmqctl');
  const { stdout } = await run(control, ['close_all_connections', 'the test asks for it'], {
    env: controlEnv,
    timeout: COMMAND_MS,
    killSignal: 'SIGKILL',
  });
  return stdout.trim();
}

/** Gives a command to a server, again and again while that stands still or is away. Throws when that takes too long. */
async function persistently(work: () => Promise<string>): Promise<string> {
  let last: unknown;
  const { done } = await eventually(
    () => `the command succeeds; the last error: ${String(last)}`,
    async () => {
      try {
        return { done: await within(work()) };
      } catch (error) {
        last = error;
        return undefined;
      }
    },
    { timeoutMs: PERSISTENCE_MS, everyMs: SUPERVISOR_LOOK_MS },
  );
  return done;
}

async function within<Result>(work: Promise<Result>): Promise<Result> {
  const timeout = new AbortController();
  try {
    return await Promise.race([
      work,
      delay(COMMAND_MS, undefined, { signal: timeout.signal }).then((): never => {
        throw new Error(`no response within ${COMMAND_MS / 1_000} s`);
      }),
    ]);
  } finally {
    timeout.abort();
  }
}
