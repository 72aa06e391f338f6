import { LIMITS } from '@partner/proto-contracts/api/limits';
import { eventDays } from '@partner/proto-contracts/api/retention';
import { combineCosts, type Cost, multiplyCost } from './cost.js';
import type { Figures, Kind } from './read-figures.js';

/** The load to plan for, and what is available for it. */
export interface CapacityQuestion {
  /** Changes of jobs by installer companies; each is counted as a status event. */
  readonly eventsPerDay: number;
  /** Events of platform messages that change no job, such as quotes. */
  readonly platformEventsPerDay: number;
  readonly leadsPerDay: number;
  /** Companies that poll the feed. */
  readonly installers: number;
  /** Of each of them. */
  readonly pollsPerMinute: number;
  /** Webhooks that get each event. */
  readonly subscriptions: number;
  /** Share of attempts that fail. */
  readonly failurePercent: number;
  readonly eventsPerJob: number;
  /** Load of the peak hour, divided by that of the mean hour. Polls have no peak. */
  readonly peakFactor: number;
  /** How busy processors and disks may be at the peak. */
  readonly busyPercent: number;
  readonly retentionDays: number;
  readonly feedRetentionDays: number;
  /** How long the archive of the WAL is kept. */
  readonly archiveDays: number;
  /** Age of the tables that have no retention. */
  readonly years: number;
  readonly postgresCores: number;
  readonly postgresConnections: number;
  /** Writes a second that the disks of Postgres carry. */
  readonly postgresIops: number;
  /** Largest disk of Postgres, in terabytes. */
  readonly postgresDiskTb: number;
  /** Of one node. */
  readonly rabbitmqCores: number;
}

/** The plan for a load. */
export type CapacityPlan = ReturnType<typeof planCapacity>;

const DAY_SECONDS = 86_400;
/** Partitions of events, deliveries and attempts are dropped as a whole. */
const WEEK = 7;
/** Retention of the ids of platform messages, in days. */
const INBOX_DAYS = 90;
const PAGE_BYTES = 8_192;
const TERABYTE = 1e12;
/** Space for dead rows, for the WAL and for growth. */
const FREE_DISK = 0.3;

/** Fewest replicas of each service: one can be lost or replaced. */
const LEAST_REPLICAS = 2;
const LEAST_CORES = 2;
/** Connections to RabbitMQ of one replica. */
const SERVICES = {
  'inbound-gateway': 1,
  'installer-gateway': 1,
  'job-state': 2,
  'webhook-dispatcher': 2,
  console: 1,
} as const;

/** Connections to Postgres of one job-state: `POSTGRES_POOL_SIZE`, and the pool of its delivery queue. */
const CONNECTIONS_OF_REPLICA = 10 + 5;
/** `superuser_reserved_connections`, and one for the migration. */
const OTHER_CONNECTIONS = 3 + 1;
/** An upgrade runs one replica more. */
const SURGE = 1;

/** What is counted: of each kind, and attempts beyond the first of a delivery. */
type Counts = Readonly<Record<Kind | 'retry', number>>;

/** Plans processors, connections, sizes and rates for a load, and finds the part that gives way first. Pure. */
export function planCapacity(question: CapacityQuestion, figures: Figures) {
  const day = usageOf(countsOf(question, { days: 1, factor: 1 }), figures);
  const peakPerSecond = countsOf(question, { days: 1 / DAY_SECONDS, factor: question.peakFactor });
  const peak = usageOf(peakPerSecond, figures);
  const busy = question.busyPercent / 100;
  const coresOf = (process: string) => (peak.processorMs[process] ?? 0) / 1_000;
  const services = Object.keys(SERVICES).map((name) => ({
    name,
    cores: coresOf(name),
    replicas: Math.max(LEAST_REPLICAS, Math.ceil(coresOf(name) / busy)),
  }));
  const replicasOf = (service: string) => services.find(({ name }) => name === service)?.replicas ?? 0;
  const tables = tablesOf(question, day, figures.jobBytes);
  const databaseBytes = tables.reduce((sum, { bytes }) => sum + bytes, 0);
  const diskBytes = databaseBytes * (1 + FREE_DISK);
  // A checkpoint writes at most the pages that the WAL has whole or in part.
  const writesPerSecond = peak.flushes + peak.walBytes / PAGE_BYTES;
  return {
    peakPerSecond,
    services,
    postgres: {
      cores: coresOf('postgres'),
      neededCores: Math.max(LEAST_CORES, Math.ceil(coresOf('postgres') / busy)),
      connections: (replicasOf('job-state') + SURGE) * CONNECTIONS_OF_REPLICA + OTHER_CONNECTIONS,
      statementsPerSecond: peak.statements,
      flushesPerSecond: peak.flushes,
      writesPerSecond,
      walBytesPerDay: day.walBytes,
      archiveBytes: day.walBytes * question.archiveDays,
      databaseBytes,
      diskBytes,
    },
    rabbitmq: {
      cores: coresOf('rabbitmq'),
      neededCores: Math.max(LEAST_CORES, Math.ceil(coresOf('rabbitmq') / busy)),
      connections: Object.entries(SERVICES).reduce((sum, [name, each]) => sum + each * replicasOf(name), 0),
      bytesPerSecond: peak.brokerBytes,
    },
    redis: { cores: coresOf('redis') },
    tables,
    /** The first one gives way first. */
    limits: limitsOf(question, { coresOf, writesPerSecond, diskBytes }),
    measurements: figures.measurements,
  };
}

/** Attempts beyond the first, for each delivery. */
function retriesOf(failurePercent: number): number {
  const failed = failurePercent / 100;
  const retries = Array.from({ length: LIMITS.webhookAttempts - 1 }, (_, retry) => failed ** (retry + 1));
  return retries.reduce((sum, share) => sum + share, 0);
}

/** Requests, events and deliveries in a time of the day at which everything but polls is multiplied by `factor`. */
function countsOf(
  question: CapacityQuestion,
  { days, factor }: { readonly days: number; readonly factor: number },
): Counts {
  const statusEvent = question.eventsPerDay * days * factor;
  const platformEvent = question.platformEventsPerDay * days * factor;
  const polls = question.installers * question.pollsPerMinute * 24 * 60 * days;
  // The most that can find something new.
  const feedPage = Math.min(polls, statusEvent);
  const delivery = (statusEvent + platformEvent) * question.subscriptions;
  return {
    ...{ lead: question.leadsPerDay * days * factor, statusEvent, platformEvent },
    ...{ feedPage, feedPoll: polls - feedPage },
    ...{ delivery, retry: delivery * retriesOf(question.failurePercent) },
  };
}

/** Sums the cost of all counted things. */
function usageOf(counts: Counts, { costs }: Figures): Cost {
  // A retry costs what a delivery does, and stores an attempt alone.
  const { delivery_attempts: attemptBytes = 0 } = costs.delivery.storedBytes;
  const retry = { ...costs.delivery, storedBytes: { delivery_attempts: attemptBytes } };
  const add = (sum: Cost, [cost, count]: readonly [Cost, number]) =>
    combineCosts(sum, multiplyCost(cost, count), (one, other) => one + other);
  return [
    [costs.lead, counts.lead] as const,
    [costs.statusEvent, counts.statusEvent] as const,
    [costs.platformEvent, counts.platformEvent] as const,
    [costs.feedPoll, counts.feedPoll] as const,
    [costs.feedPage, counts.feedPage] as const,
    [costs.delivery, counts.delivery] as const,
    [retry, counts.retry] as const,
  ].reduce(add, multiplyCost(costs.lead, 0));
}

const MONTH = 30;

/** Tables that grow with the load, and for how many days a row stays: its retention, and the length of its partition. */
const TABLES: readonly {
  readonly name: string;
  readonly tables: readonly string[];
  readonly days: (question: CapacityQuestion) => number;
}[] = [
  { name: 'events', tables: ['events'], days: ({ retentionDays }) => eventDays(retentionDays) + WEEK },
  {
    name: 'deliveries',
    tables: ['finished_deliveries', 'delivery_statistics'],
    days: ({ retentionDays }) => retentionDays + WEEK,
  },
  {
    name: 'attempts',
    tables: ['delivery_attempts'],
    days: ({ retentionDays }) => retentionDays + WEEK,
  },
  { name: 'feed', tables: ['feed_entries'], days: ({ feedRetentionDays }) => feedRetentionDays + MONTH },
  {
    name: 'idempotency keys',
    tables: ['idempotency_keys'],
    days: () => LIMITS.idempotencyRetentionDays + MONTH / 2,
  },
  { name: 'ids of platform messages', tables: ['inbox'], days: () => INBOX_DAYS },
  { name: 'quotes and invoices', tables: ['sales_records'], days: forever },
  { name: 'leads', tables: ['leads', 'lead_submissions', 'projects'], days: forever },
  { name: 'history of statuses', tables: ['job_status_events'], days: forever },
];

/** Age of a table without a retention. */
function forever({ years }: CapacityQuestion): number {
  return years * 365;
}

/** Bytes of a cost that stay. Rows that are rewritten or deleted leave space for the next ones. */
export function keptBytes(
  { storedBytes }: Pick<Cost, 'storedBytes'>,
  names: readonly string[] = TABLES.flatMap(({ tables }) => tables),
): number {
  return names.reduce((sum, name) => sum + (storedBytes[name] ?? 0), 0);
}

function tablesOf(question: CapacityQuestion, daily: Cost, jobBytes: number) {
  const ofJobs = (question.eventsPerDay / question.eventsPerJob) * jobBytes;
  return [
    ...TABLES.map(({ name, tables, days }) => ({
      name,
      days: days(question),
      bytesPerDay: keptBytes(daily, tables),
    })),
    { name: 'jobs', days: forever(question), bytesPerDay: ofJobs },
  ].map((table) => ({ ...table, bytes: table.bytesPerDay * table.days }));
}

/** What can give way, first what does so at the lowest load; all of the load grows alike. */
function limitsOf(
  question: CapacityQuestion,
  peak: {
    readonly coresOf: (process: string) => number;
    readonly writesPerSecond: number;
    readonly diskBytes: number;
  },
) {
  const { eventsPerDay, busyPercent, postgresConnections } = question;
  const replicas = Math.floor((postgresConnections - OTHER_CONNECTIONS) / CONNECTIONS_OF_REPLICA) - SURGE;
  const limit = (
    part: string,
    used: number,
    available: number,
    advice: string,
    share = busyPercent / 100,
  ) => {
    const usable = available * share;
    return {
      part,
      used,
      available,
      usable,
      eventsPerDay: Math.floor((eventsPerDay * usable) / used),
      advice,
    };
  };
  return [
    limit(
      'disk of Postgres in TB',
      peak.diskBytes / TERABYTE,
      question.postgresDiskTb,
      'shorter retentions, first --feed-retention-days, or a larger disk: --postgres-disk-tb shows what it carries',
      1,
    ),
    limit(
      'processors of Postgres',
      peak.coresOf('postgres'),
      question.postgresCores,
      'a larger Postgres: --postgres-cores shows what it carries',
    ),
    limit(
      'writes of Postgres',
      peak.writesPerSecond,
      question.postgresIops,
      'disks with more writes a second: --postgres-iops shows what they carry',
    ),
    limit(
      'replicas of job-state',
      peak.coresOf('job-state'),
      Math.max(0, replicas),
      'more max_connections in Postgres (--postgres-connections), then a higher autoscaling.maxReplicas',
    ),
    limit(
      'processors of RabbitMQ',
      peak.coresOf('rabbitmq'),
      question.rabbitmqCores,
      'larger nodes: --rabbitmq-cores shows what they carry',
    ),
  ].sort((one, other) => one.eventsPerDay - other.eventsPerDay);
}
