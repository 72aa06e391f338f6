import type { Logger } from '@partner/kernel/telemetry/logger';
import {
  openSecret,
  type SealedSecretOwner,
  type SealingKeys,
  sealSecret,
} from '@partner/kernel/security/secret-sealing';
import type { Registry } from 'prom-client';
import type { Database, Queryable } from '../../database/database.js';
import { measuredGauge } from '../../database/measured-gauge.js';
import { type Loop, startLoop } from '../../database/start-loop.js';

const BATCH_SIZE = 100;
const RESEALED_BATCHES = 10;
const SECRETS_FRESH_MS = 60_000;

/** Tables of sealed secrets, and what a secret of each is sealed for. */
const SEALED_TABLES = [
  { table: 'subscription_secrets', owner: 'subscription_id', version: 'version' },
  { table: 'second_factors', owner: 'id', version: '1' },
] as const;
const ALL_SEALED = `(${SEALED_TABLES.map(({ table }) => `select sealing_key_id from ${table}`).join(' union all ')}) as s`;

export interface SecretMaintenanceDeps {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly sealingKeys: SealingKeys;
  readonly clock: () => Date;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

interface SecretRow extends SealedSecretOwner {
  readonly sealed: Buffer;
}

/**
 * Creates the maintenance of secrets, which any number of replicas can run. A run drops one batch of secrets and reseals at most 10
 * batches of each table; it returns `more` while there may be more to drop.
 *
 * It drops expired secrets, and reseals those under a former key under the current one. The former key can be removed once
 * `partner_webhook_secrets_under_former_keys` is 0. Deliveries in flight are not affected: every process that opens secrets has
 * both keys. A secret that cannot be opened, because its key is missing or it was modified, stays unchanged and is logged once.
 */
export function createSecretMaintenance(deps: SecretMaintenanceDeps) {
  const { database, sealingKeys, logger } = deps;
  const former = [...sealingKeys.keys.keys()].filter((id) => id !== sealingKeys.currentKeyId);
  const reportedKeys = new Set<string>();
  const unopenable = new Set<string>();

  async function reseal({ table, owner, version }: (typeof SEALED_TABLES)[number]): Promise<number> {
    const { seen, resealed } = await database.transaction(async (tx) => {
      const rows = await tx.query<SecretRow>(
        `select ${owner} as "ownerId", ${version} as version, sealed from ${table}
         where sealing_key_id = any($1::text[]) and ${owner} || ' ' || ${version} <> all($2::text[])
         order by ${owner}, ${version}::integer
         limit ${BATCH_SIZE}
         for update skip locked`,
        [former, [...unopenable]],
      );
      const opened = rows.flatMap((row) => sealedAnew(row) ?? []);
      await tx.query(
        `update ${table} s set sealed = anew.sealed, sealing_key_id = $4
         from unnest($1::text[], $2::integer[], $3::bytea[]) as anew (owner_id, anew_version, sealed)
         where s.${owner} = anew.owner_id and ${version} = anew.anew_version`,
        [
          opened.map(({ ownerId }) => ownerId),
          opened.map(({ version }) => version),
          opened.map(({ sealed }) => sealed),
          sealingKeys.currentKeyId,
        ],
      );
      return { seen: rows.length, resealed: opened.length };
    });
    if (resealed > 0) logger.info({ resealed }, 'webhook_secrets.resealed');
    return seen;
  }

  function sealedAnew(row: SecretRow): SecretRow | undefined {
    const { ownerId, version } = row;
    try {
      const secret = openSecret(sealingKeys, row, row.sealed);
      return { ownerId, version, sealed: sealSecret(sealingKeys, row, secret) };
    } catch (error) {
      unopenable.add(`${ownerId} ${version}`);
      logger.warn({ err: error, ownerId, version }, 'webhook_secrets.not_opened');
      return undefined;
    }
  }

  async function reportUnknownKeys(): Promise<void> {
    const found = await database.query<{ sealingKeyId: string; secrets: number }>(
      `select sealing_key_id as "sealingKeyId", count(*)::integer as secrets from ${ALL_SEALED}
       where sealing_key_id <> all($1::text[])
       group by sealing_key_id`,
      [[...sealingKeys.keys.keys()]],
    );
    for (const { sealingKeyId, secrets } of found) {
      if (reportedKeys.has(sealingKeyId)) continue;
      reportedKeys.add(sealingKeyId);
      logger.warn({ sealingKeyId, secrets }, 'webhook_secrets.key_not_held');
    }
  }

  return {
    async runOnce(): Promise<'more' | 'idle'> {
      const dropped = await dropExpired(database, deps.clock());
      if (dropped > 0) logger.info({ dropped }, 'webhook_secrets.dropped');
      await reportUnknownKeys();
      // Bounded: while replicas disagree on the current key, they reseal each other's secrets.
      for (const sealedTable of former.length > 0 ? SEALED_TABLES : []) {
        for (let batch = 0; batch < RESEALED_BATCHES; batch += 1) {
          if ((await reseal(sealedTable)) < BATCH_SIZE) break;
        }
      }
      return dropped === BATCH_SIZE ? 'more' : 'idle';
    },
  };
}

async function dropExpired(database: Queryable, now: Date): Promise<number> {
  const dropped = await database.query(
    `delete from subscription_secrets where (subscription_id, version) in (
       select subscription_id, version from subscription_secrets where expires_at <= $1
       order by expires_at limit ${BATCH_SIZE} for update skip locked
     )
     returning version`,
    [now],
  );
  return dropped.length;
}

export function startSecretMaintenance(
  options: SecretMaintenanceDeps & {
    readonly metrics: Registry;
    readonly intervalMs: number;
  },
): Loop {
  const { database, sealingKeys, logger, intervalMs } = options;
  measuredGauge({
    name: 'partner_webhook_secrets_under_former_keys',
    help: 'Secrets that are not sealed with the current key, even if this process lacks their key.',
    metrics: options.metrics,
    measure: () => countUnderFormerKeys(database, sealingKeys),
    freshMs: SECRETS_FRESH_MS,
  });
  const maintenance = createSecretMaintenance(options);
  return startLoop({
    name: 'webhook_secrets',
    intervalMs,
    failurePauseMs: intervalMs,
    logger,
    metrics: options.metrics,
    runOnce: () => maintenance.runOnce(),
  });
}

async function countUnderFormerKeys(
  database: Queryable,
  { currentKeyId }: Pick<SealingKeys, 'currentKeyId'>,
): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `select count(*)::integer as count from ${ALL_SEALED} where sealing_key_id <> $1`,
    [currentKeyId],
  );
  return row?.count ?? 0;
}
