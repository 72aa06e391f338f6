import { appendFile, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '@partner/test-kit/backing-services/local-process';
import {
  copyPostgres,
  postgresDataDirectory,
  startPostgres,
  withPostgres,
} from '@partner/test-kit/backing-services/postgres';
import { eventually } from '@partner/test-kit/eventually';

/** A private Postgres that archives its WAL, and can be restored to an earlier point. */
export type ArchivedPostgres = Awaited<ReturnType<typeof startArchivedPostgres>>;

export async function startArchivedPostgres() {
  const root = await mkdtemp(path.join(tmpdir(), 'partner-postgres-archive-'));
  const [original, backup] = [path.join(root, 'original'), path.join(root, 'backup')];
  const [originalData, backupData] = [
    await postgresDataDirectory(original),
    await postgresDataDirectory(backup),
  ];
  const first = await startPostgres({ directory: original, port: await freePort() });
  await withPostgres(first.url, async (client) => {
    await client.query(`alter system set archive_mode = on`);
    await client.query(`alter system set archive_command = 'mkdir -p archive && cp %p archive/%f'`);
  });
  await first.stop();
  const server = await startPostgres({ directory: original, port: await freePort() });
  const servers = [server];

  async function untilArchived(): Promise<void> {
    await withPostgres(server.url, async (client) => {
      const { rows } = await client.query<{ segment: string }>(
        'select pg_walfile_name(pg_current_wal_lsn()) as segment, pg_switch_wal()',
      );
      await eventually('the WAL is archived', async () => {
        const archived = await client.query('select 1 from pg_stat_archiver where last_archived_wal >= $1', [
          rows[0]?.segment,
        ]);
        return archived.rowCount === 1;
      });
    });
  }

  return {
    /** Superuser URL of the database `postgres` of the original server. */
    url: server.url,
    backUp: () => copyPostgres(server.url, backup),
    async mark(point: string) {
      await withPostgres(server.url, (client) => client.query('select pg_create_restore_point($1)', [point]));
    },
    /** Kills the server once its WAL is archived. Resolves to the URL of a new one, restored from the backup to a mark. */
    async restoreTo(point: string) {
      await untilArchived();
      server.process.signal('SIGKILL');
      await rename(path.join(backupData, 'standby.signal'), path.join(backupData, 'recovery.signal'));
      await appendFile(
        path.join(backupData, 'postgresql.auto.conf'),
        `restore_command = 'cp "${originalData}/archive/%f" "%p"'
recovery_target_name = '${point}'
recovery_target_action = promote
primary_conninfo = ''
archive_mode = off
`,
      );
      const restored = await startPostgres({ directory: backup, port: await freePort() });
      servers.push(restored);
      await eventually('the restored server accepts writes', () =>
        withPostgres(restored.url, async (client) => {
          const { rows } = await client.query<{ pg_is_in_recovery: boolean }>('select pg_is_in_recovery()');
          return rows[0]?.pg_is_in_recovery === false;
        }),
      );
      return restored.url;
    },
    async remove() {
      for (const { process } of servers) process.signal('SIGKILL');
      await Promise.all(servers.map(({ process }) => process.ended()));
      for (const directory of [originalData, backupData, root])
        await rm(directory, { recursive: true, force: true });
    },
  };
}
