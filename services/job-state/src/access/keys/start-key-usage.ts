import type { Logger } from '@partner/kernel/telemetry/logger';
import type { Registry } from 'prom-client';
import type { Queryable } from '../../database/database.js';
import { startLoop } from '../../database/start-loop.js';

const FAILURE_PAUSE_MS = 60_000;

/** Records when keys were used, outside of the requests that use them. */
export interface KeyUsage {
  /** Records a use, in memory only. */
  note(keyId: string, at: Date): void;
  /** Writes the recorded uses and stops. */
  stop(): Promise<void>;
}

/**
 * Writes `last_used_at` of recently used keys in one statement, at most once a minute.
 *
 * A crash loses the uses of the last interval; a failed write is repeated with the next one. It locks the keys in ascending
 * order, so that two replicas cannot deadlock.
 */
export function startKeyUsage(deps: {
  readonly database: Queryable;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly metrics: Registry;
  readonly intervalMs: number;
}): KeyUsage {
  let noted = new Map<string, Date>();

  function note(keyId: string, at: Date): void {
    const known = noted.get(keyId);
    if (known === undefined || known < at) noted.set(keyId, at);
  }

  async function flush(): Promise<void> {
    if (noted.size === 0) return;
    const batch = noted;
    noted = new Map();
    try {
      await deps.database.query(
        `with locked as (select id from api_keys where id = any($1::text[]) order by id for no key update)
         update api_keys set last_used_at = greatest(api_keys.last_used_at, used.at)
         from locked join unnest($1::text[], $2::timestamptz[]) as used (key_id, at) on used.key_id = locked.id
         where api_keys.id = locked.id`,
        [[...batch.keys()], [...batch.values()]],
      );
    } catch (error) {
      for (const [keyId, at] of batch) note(keyId, at);
      throw error;
    }
  }

  const loop = startLoop({
    name: 'key_usage',
    intervalMs: deps.intervalMs,
    failurePauseMs: FAILURE_PAUSE_MS,
    logger: deps.logger,
    metrics: deps.metrics,
    runOnce: async () => {
      await flush();
      return 'idle';
    },
  });
  return {
    note,
    async stop() {
      await loop.stop();
      await flush();
    },
  };
}
