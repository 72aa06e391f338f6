import type { Logger } from '@partner/kernel/telemetry/logger';
import type { Registry } from 'prom-client';
import type { Database } from './database.js';
import { measuredGauge } from './measured-gauge.js';

/** A snapshot of this age is logged with its session, once. */
const REPORTED_AFTER_SECONDS = 300;
const MEASUREMENT_MS = 3_000;

interface Session {
  readonly pid: number;
  readonly user: string;
  readonly application: string;
  /** The oldest transaction whose effects it may still read. */
  readonly snapshot: string;
}

/**
 * Every user may read these columns of all sessions, but not since when. Those of other databases hold back nothing here, nor does one
 * that sees every transaction so far: a standby on a quiet day.
 */
const SESSIONS = `
  select pid, usename as user, application_name as application, coalesce(backend_xid, backend_xmin)::text as snapshot
  from pg_stat_activity
  where coalesce(backend_xid, backend_xmin) is not null and usename is not null and pid <> pg_backend_pid()
    and (datname is null or datname = current_database())
    and coalesce(backend_xid, backend_xmin) <> pg_snapshot_xmax(pg_current_snapshot())::xid`;

/**
 * Reports for how long some session has held one snapshot: while it does, Postgres removes no row that was replaced or deleted since.
 * A session is measured from when this process first saw it.
 */
export function measureHeldSnapshots(options: {
  readonly database: Pick<Database, 'query'>;
  readonly metrics: Registry;
  readonly logger: Pick<Logger, 'warn'>;
  readonly elapsedMs: () => number;
  /** How long a measurement is cached, in milliseconds; absent: 10,000. */
  readonly freshMs?: number;
}): void {
  const { database, logger, elapsedMs } = options;
  let seen: ReadonlyMap<string, { readonly sinceMs: number; isReported: boolean }> = new Map();
  measuredGauge({
    ...options,
    name: 'partner_database_snapshot_seconds',
    help: 'How long a session has held one snapshot of the database, the longest of all: dead rows stay meanwhile.',
    async measure() {
      const sessions = await database.query<Session>(SESSIONS, [], { timeoutMs: MEASUREMENT_MS });
      const now = elapsedMs();
      let longest = 0;
      seen = new Map(
        sessions.map((session) => {
          const key = `${session.pid} ${session.snapshot}`;
          const held = seen.get(key) ?? { sinceMs: now, isReported: false };
          const seconds = (now - held.sinceMs) / 1_000;
          longest = Math.max(longest, seconds);
          if (seconds >= REPORTED_AFTER_SECONDS && !held.isReported) {
            held.isReported = true;
            const { pid, user, application } = session;
            logger.warn({ pid, user, application, seconds: Math.round(seconds) }, 'database.snapshot_held');
          }
          return [key, held];
        }),
      );
      return longest;
    },
  });
}
