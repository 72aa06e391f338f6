import type pg from 'pg';
import { Gauge, Histogram, type Registry } from 'prom-client';

type MeasuredPool = Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount'> & {
  readonly options: Pick<pg.Pool['options'], 'max'>;
};

export interface PoolMetrics {
  /** Reports a pool under a name. Returns a function that starts timing a wait for a connection; its result stops it. */
  add(name: string, pool: MeasuredPool): () => () => void;
}

/** Creates the metrics in a registry; once per registry. Pools are inspected in memory at each scrape. */
export function createPoolMetrics(metrics: Registry): PoolMetrics {
  const pools = new Map<string, MeasuredPool>();
  const gauge = (name: string, help: string, read: (pool: MeasuredPool) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['pool'] as const,
      registers: [metrics],
      collect() {
        for (const [each, pool] of pools) this.set({ pool: each }, read(pool));
      },
    });
  gauge(
    'partner_postgres_pool_max_connections',
    'Maximum number of connections of the pool.',
    (pool) => pool.options.max,
  );
  gauge('partner_postgres_pool_connections', 'Open connections of the pool.', (pool) => pool.totalCount);
  gauge('partner_postgres_pool_idle_connections', 'Idle connections of the pool.', (pool) => pool.idleCount);
  gauge(
    'partner_postgres_pool_waiting',
    'Callers that wait for a connection of the pool.',
    (pool) => pool.waitingCount,
  );
  const waits = new Histogram({
    name: 'partner_postgres_connection_wait_seconds',
    help: 'Wait times for a connection of the pool, including timeouts.',
    labelNames: ['pool'] as const,
    buckets: [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [metrics],
  });
  return {
    add(name, pool) {
      pools.set(name, pool);
      waits.zero({ pool: name });
      return () => waits.startTimer({ pool: name });
    },
  };
}
