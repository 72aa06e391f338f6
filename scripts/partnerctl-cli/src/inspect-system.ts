import { getBacklogOperation } from '@partner/proto-contracts/internal/operators/system';
import { QUEUES } from '@partner/proto-contracts/topology';
import { inspectQueues } from '@partner/kernel/amqp/inspect-queues';
import { counted } from '@partner/proto-contracts/api/counted';
import type { z } from 'zod';
import { duration } from './output.js';
import type { Session } from './session.js';

type Backlog = z.output<typeof getBacklogOperation.output>;

/** The same as in charts/docs/metrics.md, each by the option of `status` that changes it: ages in seconds, and dead letters. */
export const THRESHOLDS = {
  /** Of a delivery to a healthy endpoint. A backlog of an endpoint at capacity or failing concerns its owner. */
  maxDue: 60,
  maxOutbox: 30,
  maxWaiting: 3_600,
  maxDead: 0,
};

const MAX_CONNECTIONS_PERCENT = 80;

export type QueueState = {
  readonly name: string;
  /** Null: the queue is not declared. */
  readonly messages: number | null;
  readonly consumers: number | null;
  /** Null: it has no dead-letter queue, or that is not declared. */
  readonly deadLetters: number | null;
};

export type Problem = { readonly code: string; readonly message: string; readonly advice: string };

export async function inspectServiceQueues(
  session: Pick<Session, 'connection'>,
): Promise<readonly QueueState[]> {
  const names = QUEUES.flatMap(({ name, deadLetterQueue }) =>
    deadLetterQueue === undefined ? [name] : [name, deadLetterQueue],
  );
  const looks = await inspectQueues(session.connection, names);
  return QUEUES.map(({ name, deadLetterQueue }) => ({
    name,
    messages: looks.get(name)?.messages ?? null,
    consumers: looks.get(name)?.consumers ?? null,
    deadLetters: looks.get(deadLetterQueue ?? '')?.messages ?? null,
  }));
}

/**
 * Reads the backlog, and the lead of the clocks of job-state and Postgres over this one, in ms. A difference within the round-trip
 * time counts as none.
 */
export async function readBacklog({ call }: Pick<Session, 'call'>) {
  const asked = Date.now();
  const backlog = await call(getBacklogOperation, {});
  const respondedAt = Date.now();
  const ahead = (at: string) => {
    const time = Date.parse(at);
    return time > respondedAt ? time - respondedAt : Math.min(0, time - asked);
  };
  const aheadMs = { jobState: ahead(backlog.now), database: ahead(backlog.databaseNow) };
  return { backlog, aheadMs, tookMs: respondedAt - asked };
}

/** The platform consumes this queue with its own programs. */
const READ_BY_OTHERS = 'platform.partner-events';

/** The services' setting `AMQP_TOPOLOGY` decides who declares queues. */
const MISSING_QUEUE_ADVICE =
  'where services declare queues, start any of them again: each declares all; where they only look for them' +
  ' (AMQP_TOPOLOGY=check), import charts/job-state/files/rabbitmq-definitions.json at the broker again';

export function findProblems(
  queues: readonly QueueState[],
  backlog: Partial<Backlog>,
  thresholds: typeof THRESHOLDS,
): readonly Problem[] {
  const problems: Problem[] = [];
  const add = (code: string, message: string, advice: string) => problems.push({ code, message, advice });
  for (const { name, messages, consumers } of queues) {
    if (messages === null) add('queue_missing', `the queue ${name} is not declared`, MISSING_QUEUE_ADVICE);
    else if (consumers === 0 && name !== READ_BY_OTHERS)
      add(
        'queue_without_consumer',
        `the queue ${name} has no consumer`,
        `start ${name.split('.')[0] ?? ''}, or check its log`,
      );
  }
  const dead = queues.filter(({ deadLetters }) => (deadLetters ?? 0) > 0);
  if (dead.reduce((sum, { deadLetters }) => sum + (deadLetters ?? 0), 0) > thresholds.maxDead) {
    const where = dead.map(({ name, deadLetters }) => `${deadLetters ?? 0} of ${name}`).join(', ');
    add('dead_letters', `there are dead letters: ${where}`, 'partnerctl dead-letters list says why');
  }
  const { oldestDueMs = 0, oldestOutboxMs = 0, oldestWaitingMs = 0 } = backlog;
  if (oldestDueMs > thresholds.maxDue * 1_000)
    add(
      'deliveries_late',
      `deliveries to endpoints that work are late, the oldest has been due for ${duration(oldestDueMs)}; due: ${dueToWorking(backlog)}`,
      'is webhook-dispatcher ready, does the broker confirm?',
    );
  const { expiredLeases = 0, outboxMessages = 0, waitingPlatformMessages = 0 } = backlog;
  if (expiredLeases > 0)
    add(
      'leases_expired',
      `${counted(expiredLeases, 'delivery in flight has', 'deliveries in flight have')} no result in time`,
      'look for restarts of webhook-dispatcher or the broker; they are retried automatically',
    );
  if (oldestOutboxMs > thresholds.maxOutbox * 1_000)
    add(
      'outbox_late',
      `${counted(outboxMessages, 'message waits', 'messages wait')} for the broker, the oldest for ${duration(oldestOutboxMs)}`,
      'does the broker confirm? A full queue refuses: does the platform read its queue?',
    );
  if (oldestWaitingMs > thresholds.maxWaiting * 1_000)
    add(
      'platform_messages_wait',
      `${counted(waitingPlatformMessages, 'message of the platform waits', 'messages of the platform wait')} for an earlier one, the oldest for ${duration(oldestWaitingMs)}`,
      'the platform has not published a company, project, job or lead; after 24 h they become dead letters',
    );
  const { databaseConnections: used = 0, databaseConnectionsMax: available = 100 } = backlog;
  if ((100 * used) / available > MAX_CONNECTIONS_PERCENT)
    add(
      'database_connections',
      `${used} of ${available} connections to Postgres are taken`,
      'fewer replicas, a smaller POSTGRES_POOL_SIZE, or a greater max_connections',
    );
  return problems;
}

export function dueToWorking(backlog: Partial<Backlog>): number {
  const { dueDeliveries = 0, busyDueDeliveries = 0, failingDueDeliveries = 0 } = backlog;
  return dueDeliveries - busyDueDeliveries - failingDueDeliveries;
}
