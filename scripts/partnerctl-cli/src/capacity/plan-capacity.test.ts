import { expect, test } from '@jest/globals';
import type { Cost } from './cost.js';
import { type CapacityQuestion, planCapacity } from './plan-capacity.js';

const FREE: Cost = {
  ...{ processorMs: {}, storedBytes: {} },
  ...{ statements: 0, flushes: 0, walBytes: 0, brokerBytes: 0 },
};

/** Figures in which only what a test names costs anything. */
function figures(costs: { readonly [kind: string]: Partial<Cost> }) {
  const of = (title: string) => ({ title, ...FREE, ...costs[title] });
  return {
    costs: {
      ...{ lead: of('lead'), statusEvent: of('statusEvent'), platformEvent: of('platformEvent') },
      ...{ feedPoll: of('feedPoll'), feedPage: of('feedPage'), delivery: of('delivery') },
    },
    jobBytes: 1_000,
    measurements: [],
  };
}

const LOAD: CapacityQuestion = {
  ...{ eventsPerDay: 864_000, platformEventsPerDay: 0, leadsPerDay: 0, eventsPerJob: 10, subscriptions: 2 },
  ...{ installers: 10, pollsPerMinute: 6, failurePercent: 0, peakFactor: 4, busyPercent: 50 },
  ...{ retentionDays: 90, feedRetentionDays: 400, archiveDays: 7, years: 1 },
  ...{
    postgresCores: 8,
    postgresConnections: 100,
    postgresIops: 3_000,
    postgresDiskTb: 100,
    rabbitmqCores: 4,
  },
};

test('replicas and processors of the peak are those of the given part of their time', () => {
  // 40 events a second at the peak.
  const plan = planCapacity(
    LOAD,
    figures({ statusEvent: { processorMs: { 'job-state': 50, postgres: 50 } } }),
  );
  expect(plan.services.find(({ name }) => name === 'job-state')).toMatchObject({ cores: 2, replicas: 4 });
  expect(plan.services.find(({ name }) => name === 'console')).toMatchObject({ cores: 0, replicas: 2 });
  expect(plan.postgres).toMatchObject({ neededCores: 4, connections: 5 * 15 + 4 });
});

test('the part that gives way first is named with the events a day at which it does', () => {
  const of = (costs: Partial<Cost>, load: Partial<CapacityQuestion> = {}) =>
    planCapacity({ ...LOAD, ...load }, figures({ statusEvent: costs })).limits[0];
  // 4 of 8 processors are usable, for 40 events a second of 20 ms each.
  const postgres = { processorMs: { postgres: 20 } };
  expect(of(postgres)).toMatchObject({ part: 'processors of Postgres', eventsPerDay: 864_000 * 5 });
  expect(of(postgres, { postgresCores: 16 })).toMatchObject({ eventsPerDay: 864_000 * 10 });
  // Five replicas of 15 connections, and one more during an upgrade, fit into 100.
  const jobState = { processorMs: { postgres: 20, 'job-state': 25 } };
  expect(of(jobState)).toMatchObject({
    part: 'replicas of job-state',
    available: 5,
    eventsPerDay: 864_000 * 2.5,
  });
  expect(of({ flushes: 1 })).toMatchObject({ part: 'writes of Postgres' });
  const events = { storedBytes: { events: 1_000_000 } };
  expect(of(events)).toMatchObject({ part: 'disk of Postgres in TB', usable: 100 });
  expect(of({ processorMs: { rabbitmq: 1 } })).toMatchObject({ part: 'processors of RabbitMQ' });
});

test('tables grow for their retention and the length of a partition; working rows are not counted', () => {
  const { tables, postgres } = planCapacity(
    { ...LOAD, failurePercent: 50 },
    figures({
      statusEvent: { storedBytes: { events: 1, feed_entries: 1, jobs: 5_000 }, walBytes: 3 },
      delivery: { storedBytes: { delivery_attempts: 1, deliveries: 5_000 } },
    }),
  );
  const bytesOf = (wanted: string) => tables.find(({ name }) => name === wanted)?.bytes;
  expect(bytesOf('events')).toBe(864_000 * (120 + 7));
  expect(bytesOf('feed')).toBe(864_000 * (400 + 30));
  // Half of all attempts fail, up to the eighth: 1 + 1/2 + … + 1/128 attempts of two deliveries of each event.
  expect(bytesOf('attempts')).toBeCloseTo(864_000 * 2 * (2 - 1 / 128) * (90 + 7));
  expect(bytesOf('jobs')).toBe(86_400 * 1_000 * 365);
  expect(postgres).toMatchObject({ walBytesPerDay: 3 * 864_000, archiveBytes: 7 * 3 * 864_000 });
});

test('a poll finds something new at most once for each event', () => {
  const free = figures({});
  const polls = (eventsPerDay: number) =>
    planCapacity({ ...LOAD, eventsPerDay, peakFactor: 1 }, free).peakPerSecond;
  expect(polls(43_200)).toMatchObject({ feedPage: 0.5, feedPoll: 0.5 });
  expect(polls(864_000)).toMatchObject({ feedPage: 1, feedPoll: 0 });
});

test.each<readonly [keyof CapacityQuestion, number]>([
  ['eventsPerDay', 8_640_000],
  ['leadsPerDay', 1_000_000],
  ['subscriptions', 5],
  ['failurePercent', 20],
  ['installers', 10_000],
  ['peakFactor', 10],
])('more %s needs at least as much of everything', (name, more) => {
  const cost = {
    ...{ processorMs: { 'job-state': 1, postgres: 1, rabbitmq: 1 }, storedBytes: { events: 1, leads: 1 } },
    ...{ statements: 1, flushes: 1, walBytes: 1, brokerBytes: 1 },
  };
  const kinds = ['lead', 'statusEvent', 'platformEvent', 'feedPoll', 'feedPage', 'delivery'];
  const all = figures(Object.fromEntries(kinds.map((kind) => [kind, cost])));
  const [less, greater] = [planCapacity(LOAD, all), planCapacity({ ...LOAD, [name]: more }, all)];
  const numbersOf = ({ services, postgres, rabbitmq }: typeof less) => [
    ...services.map(({ replicas }) => replicas),
    ...Object.values(postgres),
    ...Object.values(rabbitmq),
  ];
  const before = numbersOf(less);
  for (const [index, value] of numbersOf(greater).entries())
    expect(value).toBeGreaterThanOrEqual(before[index] ?? 0);
  expect(greater.rabbitmq.bytesPerSecond).toBeGreaterThan(less.rabbitmq.bytesPerSecond);
});
