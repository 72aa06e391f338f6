import type pg from 'pg';
import { Gauge, Histogram, type Registry } from 'prom-client';

/** What is asked of a pool of connections. */
type MeasuredPool = Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount'> & {
  readonly options: Pick<pg.Pool['options'], 'max'>;
};

/** Measures the pools of connections of this process. */
export interface PoolMetrics {
  /** Tells of a pool from now on, under a name. Gives what begins a wait for a connection; that gives what ends it. */
  add(name: string, pool: MeasuredPool): () => () => void;
}

/** Makes the metrics in a registry; once per registry. Pools are asked how they stand at each scrape, in memory. */
export function createPoolMetrics(metrics: Registry): PoolMetrics {
  const pools = new Map<string, MeasuredPool>();
  const tell = (name: string, help: string, ask: (pool: MeasuredPool) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['pool'] as const,
      registers: [metrics],
      collect() {
        for (const [each, pool] of pools) this.set({ pool: each }, ask(pool));
      },
    });
  tell(
    'partner_postgres_pool_max_connections',
    'Connections that the pool may have.',
    (pool) => pool.options.max,
  );
  tell('partner_postgres_pool_connections', 'Connections that the pool has.', (pool) => pool.totalCount);
  tell(
    'partner_postgres_pool_idle_connections',
    'Connections of the pool that nobody uses.',
    (pool) => pool.idleCount,
  );
  tell(
    'partner_postgres_pool_waiting',
    'How many wait for a connection of the pool.',
    (pool) => pool.waitingCount,
  );
  const waits = new Histogram({
    name: 'partner_postgres_connection_wait_seconds',
    help: 'Waits for a connection of the pool, in vain or not.',
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
