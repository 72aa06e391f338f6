import { Gauge, type Registry } from 'prom-client';

const FRESH_MS = 10_000;
const TIMEOUT_MS = 3_000;

/** Result of a measurement: a value, or one for each value of the gauge's label. */
export type Measured = number | ReadonlyMap<string, number>;

/**
 * Creates a gauge that queries the database when it is scraped.
 *
 * It runs one query at a time, at most every 10 s, with a timeout of 3 s, so a scrape is cheap and never blocks. NaN means
 * unknown: the last query failed or has not returned yet.
 */
export function measuredGauge(options: {
  readonly name: `partner_${string}`;
  readonly help: string;
  /** The label and all of its values; absent: no label. */
  readonly label?: { readonly name: string; readonly values: readonly string[] };
  readonly metrics: Registry;
  readonly measure: () => Promise<Measured>;
  /** How long a measurement is cached, in milliseconds; absent: 10,000. */
  readonly freshMs?: number;
}): void {
  const { label, freshMs = FRESH_MS } = options;
  let measuredAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;
  let last: Measured = Number.NaN;

  async function measure(): Promise<void> {
    last = await options.measure().catch(() => Number.NaN);
    measuredAt = performance.now();
    running = undefined;
  }

  new Gauge({
    name: options.name,
    help: `${options.help} NaN if unknown.`,
    labelNames: label === undefined ? [] : [label.name],
    registers: [options.metrics],
    async collect() {
      if (performance.now() - measuredAt >= freshMs) running ??= measure();
      const isKnown = running === undefined || (await within(TIMEOUT_MS, running));
      const valueOf = (value: string) =>
        !isKnown ? Number.NaN : typeof last === 'number' ? last : (last.get(value) ?? Number.NaN);
      if (label === undefined) this.set(valueOf(''));
      else for (const value of label.values) this.set({ [label.name]: value }, valueOf(value));
    },
  });
}

async function within(milliseconds: number, work: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  const isOver = await Promise.race([work.then(() => true), over]);
  clearTimeout(timer);
  return isOver;
}
