import { SHADOW_HEADERS_VERSION } from '@partner/kernel/secret-sealing';
import type { Logger } from '@partner/kernel/logger';
import type { Registry } from 'prom-client';
import type { LeasedDelivery } from '../../database/after-commit.js';
import type { Queryable } from '../../database/database.js';
import { type Loop, startLoop } from '../../database/start-loop.js';

/** Maximum number of shadows that run at once; the ones that end last are mirrored to. */
const MAX_RUNNING = 10_000;

/** Returns where the attempt of a delivery is mirrored to; undefined: nowhere. */
export type ShadowOf = (
  delivery: Pick<LeasedDelivery, 'subscriptionId' | 'attempt' | 'isTest' | 'url'>,
) => Copy | undefined;

/** Where an attempt is mirrored to, as its command says it. */
interface Copy {
  readonly id: string;
  readonly url: string;
  readonly companyId: string;
  /** Absent: no separate custom headers were given for the copies. */
  readonly sealedHeaders?: Buffer;
}

/** The running shadows, as this process knows them. */
export interface Mirroring extends Pick<Loop, 'wake' | 'stop'> {
  readonly shadowOf: ShadowOf;
}

interface RunningShadow extends Omit<Copy, 'sealedHeaders'> {
  readonly subscriptionId: string;
  readonly percent: number;
  readonly sealedHeaders: Buffer | null;
}

/**
 * Keeps the running shadows in memory, so that deliveries of other subscriptions cost no statement and no byte.
 *
 * A start or an end takes effect after the interval, or at once in the process that is woken. While the database cannot be read,
 * nothing is mirrored. Only first attempts are mirrored, tests never; a replay is a separate delivery.
 */
export function startMirroring(options: {
  readonly database: Queryable;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly metrics: Registry;
  readonly intervalMs: number;
  /** From 0, less than 1. Chooses the mirrored share of deliveries. */
  readonly random: () => number;
}): Mirroring {
  let running = new Map<string, RunningShadow>();
  const loop = startLoop({
    name: 'shadows',
    intervalMs: options.intervalMs,
    logger: options.logger,
    metrics: options.metrics,
    async runOnce() {
      try {
        running = await readRunning(options.database);
      } catch (error) {
        running = new Map();
        throw error;
      }
      return 'idle';
    },
  });
  return {
    wake: () => loop.wake(),
    stop: () => loop.stop(),
    shadowOf({ subscriptionId, attempt, isTest, url }) {
      const shadow = running.get(subscriptionId);
      // This process may not know yet that the webhook has switched to the URL of its shadow.
      if (shadow === undefined || shadow.url === url || attempt > 1 || isTest) return undefined;
      if (options.random() * 100 >= shadow.percent) return undefined;
      const { id, companyId, sealedHeaders } = shadow;
      return { id, url: shadow.url, companyId, ...(sealedHeaders !== null && { sealedHeaders }) };
    },
  };
}

async function readRunning(database: Queryable): Promise<Map<string, RunningShadow>> {
  const shadows = await database.query<RunningShadow>(
    `select w.subscription_id as "subscriptionId", w.id, w.url, s.company_id as "companyId", w.percent, headers.sealed as "sealedHeaders"
     from webhook_shadows w join subscriptions s on s.id = w.subscription_id
     left join subscription_secrets headers on headers.subscription_id = s.id and headers.version = ${SHADOW_HEADERS_VERSION}
     where w.state = 'running' and w.ends_at > now() order by w.ends_at desc limit $1`,
    [MAX_RUNNING],
  );
  return new Map(shadows.map((shadow) => [shadow.subscriptionId, shadow]));
}
