import { getBacklogOperation } from '@partner/proto-contracts/internal/operators/system';
import { QUEUES } from '@partner/proto-contracts/topology';
import { inspectQueues } from '@partner/kernel/amqp/inspect-queues';
import { type Document, isDocument, parseJson } from './output.js';
import type { Session } from './session.js';
import { counted } from '@partner/proto-contracts/api/counted';

export interface Thresholds {
  /** Seconds that a delivery to a healthy endpoint has been due. A backlog of an endpoint at capacity or failing concerns its owner. */
  readonly dueSeconds: number;
  readonly outboxSeconds: number;
  readonly waitingSeconds: number;
  readonly deadLetters: number;
  readonly connectionsPercent: number;
}

/** The same as in charts/docs/metrics.md. */
export const THRESHOLDS: Thresholds = {
  dueSeconds: 60,
  outboxSeconds: 30,
  waitingSeconds: 3_600,
  deadLetters: 0,
  connectionsPercent: 80,
};

export interface QueueState {
  readonly name: string;
  /** Null: the queue is not declared. */
  readonly messages: number | null;
  readonly consumers: number | null;
  /** Null: it has no dead-letter queue, or that is not declared. */
  readonly deadLetters: number | null;
}

export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly advice: string;
}

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

export async function readBacklog(session: Pick<Session, 'call'>): Promise<{
  readonly backlog: Document;
  readonly numbers: Readonly<Record<string, number>>;
  /** Lead of the clocks of job-state and Postgres over this one, in ms, with the round-trip time as uncertainty. */
  readonly aheadMs: { readonly jobState: number; readonly database: number };
  readonly tookMs: number;
}> {
  const asked = Date.now();
  const found = await session.call(getBacklogOperation, {});
  const respondedAt = Date.now();
  const json = parseJson(JSON.stringify(found));
  const backlog = isDocument(json) ? json : {};
  const numbers = Object.fromEntries(
    Object.entries(backlog).flatMap(([name, value]): [string, number][] =>
      typeof value === 'number' ? [[name, value]] : [],
    ),
  );
  /** A difference within the round-trip time counts as none. */
  const ahead = (at: string) => {
    const time = Date.parse(at);
    return time > respondedAt ? time - respondedAt : Math.min(0, time - asked);
  };
  return {
    backlog,
    numbers,
    aheadMs: { jobState: ahead(found.now), database: ahead(found.databaseNow) },
    tookMs: respondedAt - asked,
  };
}

/** The platform consumes this queue with its own programs. */
const READ_BY_OTHERS = 'platform.partner-events';

/** The services' setting `AMQP_TOPOLOGY` decides who declares queues. */
const MISSING_QUEUE_ADVICE =
  'where services declare queues, start any of them again: each declares all; where they only look for them' +
  ' (AMQP_TOPOLOGY=check), import charts/job-state/files/rabbitmq-definitions.json at the broker again';

export function findProblems(
  queues: readonly QueueState[],
  numbers: Readonly<Record<string, number>>,
  thresholds: Thresholds,
): readonly Problem[] {
  const problems: Problem[] = [];
  const add = (code: string, message: string, advice: string) => problems.push({ code, message, advice });
  for (const { name, messages, consumers } of queues) {
    if (messages === null) add('queue_missing', `the queue ${name} is not declared`, MISSING_QUEUE_ADVICE);
    else if (consumers === 0 && name !== READ_BY_OTHERS)
      add(
        'queue_without_consumer',
        `the queue ${name} has no consumer`,
        `start ${name.split('.')[0] ?? ''}, or look into its log`,
      );
  }
  const dead = queues.filter(({ deadLetters }) => (deadLetters ?? 0) > 0);
  const deadLetters = dead.reduce((sum, queue) => sum + (queue.deadLetters ?? 0), 0);
  if (deadLetters > thresholds.deadLetters) {
    const where = dead.map((queue) => `${queue.deadLetters ?? 0} of ${queue.name}`).join(', ');
    add('dead_letters', `there are dead letters: ${where}`, 'partnerctl dead-letters list says why');
  }
  const age = (name: string) => (numbers[name] ?? 0) / 1_000;
  if (age('oldestDueMs') > thresholds.dueSeconds)
    add(
      'deliveries_late',
      `deliveries to endpoints that work are late, the oldest has been due for ${seconds(age('oldestDueMs'))}; due: ${dueToWorking(numbers)}`,
      'is webhook-dispatcher ready, does the broker confirm?',
    );
  if ((numbers['expiredLeases'] ?? 0) > 0)
    add(
      'leases_expired',
      `${counted(numbers['expiredLeases'] ?? 0, 'delivery in flight has', 'deliveries in flight have')} no result in time`,
      'look for restarts of webhook-dispatcher or the broker; they are retried automatically',
    );
  if (age('oldestOutboxMs') > thresholds.outboxSeconds)
    add(
      'outbox_late',
      `${counted(numbers['outboxMessages'] ?? 0, 'message waits', 'messages wait')} for the broker, the oldest for ${seconds(age('oldestOutboxMs'))}`,
      'does the broker confirm? A full queue refuses: does the platform read its queue?',
    );
  if (age('oldestWaitingMs') > thresholds.waitingSeconds)
    add(
      'platform_messages_wait',
      `${counted(numbers['waitingPlatformMessages'] ?? 0, 'message of the platform waits', 'messages of the platform wait')} for an earlier one, the oldest for ${seconds(age('oldestWaitingMs'))}`,
      'the platform has not published a company, project, job or lead; after 24 h they become dead letters',
    );
  const percent = (100 * (numbers['databaseConnections'] ?? 0)) / (numbers['databaseConnectionsMax'] ?? 100);
  if (percent > thresholds.connectionsPercent)
    add(
      'database_connections',
      `${numbers['databaseConnections'] ?? 0} of ${numbers['databaseConnectionsMax'] ?? 0} connections to Postgres are taken`,
      'fewer replicas, a smaller POSTGRES_POOL_SIZE, or a greater max_connections',
    );
  return problems;
}

export function dueToWorking(numbers: Readonly<Record<string, number>>): number {
  const count = (name: string) => numbers[name] ?? 0;
  return count('dueDeliveries') - count('busyDueDeliveries') - count('failingDueDeliveries');
}

export function seconds(value: number): string {
  if (value < 120) return `${Math.round(value)} s`;
  return value < 7_200 ? `${Math.round(value / 60)} min` : `${Math.round(value / 3_600)} h`;
}
