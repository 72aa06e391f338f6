import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { wrongUsage } from '../exit-codes.js';
import { combineCosts, type Cost, multiplyCost } from './cost.js';

/** Measured costs. */
export interface Figures {
  readonly costs: Readonly<Record<Kind, TitledCost>>;
  /** Size of one job's row with its indexes. */
  readonly jobBytes: number;
  /** Where they come from. */
  readonly measurements: readonly Measurement[];
}

/** What is measured: requests, an event that a message of the platform causes, and a delivery with its first attempt. */
export type Kind = 'lead' | 'statusEvent' | 'feedPoll' | 'feedPage' | 'platformEvent' | 'delivery';

/** A cost with its title in tables. */
interface TitledCost extends Cost {
  readonly title: string;
}

const numbers = z.record(z.string(), z.number());

const origin = {
  command: z.string(),
  commit: z.string(),
  measuredAt: z.iso.datetime(),
  machine: z.object({ cores: z.int(), processor: z.string() }),
};

/** Origin of figures: the arguments of `scripts/bench`, and where and when it ran. */
type Measurement = z.infer<z.ZodObject<typeof origin>> & {
  /** Cores that other processes kept busy meanwhile. */
  readonly coresOfOthers: number;
};

const comparison = z.object({
  operation: z.string(),
  coresOfOthers: z.number(),
  stored: numbers,
  ours: z.object({
    samples: z.int().positive(),
    processors: numbers,
    brokerBytes: z.number(),
    postgres: z.object({ statements: z.number(), writes: z.number(), walBytes: z.number() }),
  }),
});

const apiFile = z.object({
  ...origin,
  benchmark: z.literal('api'),
  jobBytes: z.number(),
  comparisons: z.array(comparison),
});

const floodFile = z.object({
  ...origin,
  benchmark: z.literal('flood'),
  events: z.int().positive(),
  subscriptions: z.int().positive(),
  run: z.object({
    coresOfOthers: z.number(),
    processors: numbers,
    brokerBytes: z.number(),
    stored: numbers,
    postgres: z.object({ statements: z.number(), walSyncs: z.number(), walBytes: z.number() }),
  }),
});

/** Files of a folder of figures, as `scripts/bench … --json` writes them. */
const FIGURE_FILES = {
  api: 'api.json',
  oneDelivery: 'flood-1.json',
  moreDeliveries: 'flood-3.json',
} as const;

/** Reads the figures of a folder. Fails for a file that is missing, or is not the result of its benchmark. */
export function readFigures(folder: string): Figures {
  const api = readFigureFile(folder, FIGURE_FILES.api, apiFile);
  const one = readFigureFile(folder, FIGURE_FILES.oneDelivery, floodFile);
  const more = readFigureFile(folder, FIGURE_FILES.moreDeliveries, floodFile);
  if (one.subscriptions !== 1 || more.subscriptions < 2)
    throw wrongUsage(
      `${FIGURE_FILES.oneDelivery} must be measured with --subscriptions 1, ${FIGURE_FILES.moreDeliveries} with 2 or more`,
    );
  const operation = (name: string): TitledCost => {
    const found = api.comparisons.findLast((each) => each.operation === name);
    if (found === undefined) throw wrongUsage(`${FIGURE_FILES.api} has no operation "${name}"`);
    return { title: name, ...costOfRequest(found) };
  };
  // Two runs differ in deliveries alone: the rest of an event is what remains. The dispatcher works for deliveries alone.
  const [withOne, withMore] = [costOfEvent(one), costOfEvent(more)];
  const difference = (of: number, less: number) => Math.max(0, of - less);
  const another = multiplyCost(combineCosts(withMore, withOne, difference), 1 / (more.subscriptions - 1));
  const dispatcherMs = { 'webhook-dispatcher': withOne.processorMs['webhook-dispatcher'] ?? 0 };
  const delivery = { ...another, processorMs: { ...another.processorMs, ...dispatcherMs } };
  const event = combineCosts(withOne, delivery, difference);
  return {
    costs: {
      lead: operation('new lead'),
      statusEvent: operation('status event'),
      feedPoll: operation('feed poll, 304'),
      feedPage: operation('feed page of 50'),
      platformEvent: { title: 'event of a platform message', ...event },
      delivery: { title: 'delivery', ...delivery },
    },
    jobBytes: api.jobBytes,
    measurements: [
      originOf(api, Math.max(...api.comparisons.map(({ coresOfOthers }) => coresOfOthers))),
      ...[one, more].map((file) => originOf(file, file.run.coresOfOthers)),
    ],
  };
}

function readFigureFile<S extends z.ZodType>(folder: string, name: string, schema: S): z.infer<S> {
  const file = path.join(folder, name);
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw wrongUsage(`the figures in ${file} cannot be read: ${why}`);
  }
}

function originOf(
  { command, commit, measuredAt, machine }: Omit<Measurement, 'coresOfOthers'>,
  coresOfOthers: number,
) {
  return { command, commit, measuredAt, machine, coresOfOthers };
}

function costOfRequest({ ours, stored }: z.infer<typeof comparison>): Cost {
  const { statements, writes, walBytes } = ours.postgres;
  return {
    processorMs: ofTheService(ours.processors),
    ...{ statements, flushes: writes, walBytes, brokerBytes: ours.brokerBytes },
    storedBytes: divided(stored, ours.samples),
  };
}

/** The cost of an event with its deliveries; the run has them for each delivery. */
function costOfEvent({ run, events, subscriptions }: z.infer<typeof floodFile>): Cost {
  const processorMs = ofTheService(run.processors);
  const { statements, walSyncs: flushes, walBytes } = run.postgres;
  const { brokerBytes } = run;
  const each = { processorMs, statements, flushes, walBytes, brokerBytes, storedBytes: {} };
  return { ...multiplyCost(each, subscriptions), storedBytes: divided(run.stored, events) };
}

/** Leaves out the benchmark, which sends and receives. */
function ofTheService(processors: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(processors).filter(([name]) => !['client', 'bench'].includes(name)),
  );
}

function divided(totals: Readonly<Record<string, number>>, by: number): Record<string, number> {
  return Object.fromEntries(Object.entries(totals).map(([name, total]) => [name, total / by]));
}
