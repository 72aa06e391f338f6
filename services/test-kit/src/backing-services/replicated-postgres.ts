import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '../eventually.js';
import { startTcpProxy } from '../tcp-proxy.js';
import { freePort } from './local-process.js';
import {
  copyPostgres,
  type LocalPostgres,
  postgresDataDirectory,
  startPostgres,
  withPostgres,
} from './postgres.js';

export type ReplicatedPostgres = Awaited<ReturnType<typeof startReplicatedPostgres>>;

/** Starts a primary with its synchronous standby, behind one address. A commit there waits until both have written it to disk. */
export async function startReplicatedPostgres() {
  const root = await mkdtemp(path.join(tmpdir(), 'partner-postgres-pair-'));
  const servers: LocalPostgres[] = [];
  const directories: string[] = [];

  async function start(original?: string): Promise<LocalPostgres> {
    const directory = path.join(root, String(servers.length));
    directories.push(await postgresDataDirectory(directory));
    if (original !== undefined) await copyPostgres(original, directory);
    const server = await startPostgres({ directory, port: await freePort() });
    servers.push(server);
    return server;
  }

  let primary = await start();
  let standby: LocalPostgres | undefined;
  const address = await startTcpProxy(primary.url);

  async function addStandby(): Promise<void> {
    for (const { process } of servers.filter((server) => server !== primary)) process.signal('SIGKILL');
    standby = await start(primary.url);
    await withPostgres(primary.url, async (client) => {
      await client.query(`alter system set synchronous_standby_names = '*'`);
      await client.query('select pg_reload_conf()');
      await eventually('the standby is synchronous', async () => {
        const { rowCount } = await client.query(
          `select 1 from pg_stat_replication where state = 'streaming' and sync_state = 'sync'`,
        );
        return rowCount === 1;
      });
    });
  }

  function presentStandby(): LocalPostgres {
    if (standby === undefined) throw new Error('the primary has no standby');
    return standby;
  }

  await addStandby();
  return {
    /** Superuser URL of the database `postgres`. It leads to the present primary. */
    url: address.url,
    /** URL of the standby itself. Throws while there is none. */
    standbyUrl: () => presentStandby().url,
    /** Adds a synchronous standby to a primary that was promoted, and ends the former primary. */
    addStandby,
    /**
     * Takes the primary away and promotes its standby, which then has the address.
     *
     * `dies`: the primary is killed, which closes its connections. `hangs`: it neither responds nor closes them.
     */
    async failOver(loss: 'dies' | 'hangs') {
      const promoted = presentStandby();
      standby = undefined;
      if (loss === 'hangs') address.swallow();
      primary.process.signal(loss === 'dies' ? 'SIGKILL' : 'SIGSTOP');
      await withPostgres(promoted.url, (client) => client.query('select pg_promote()'));
      primary = promoted;
      address.leadTo(promoted.url);
    },
    async remove() {
      await address.close();
      for (const { process } of servers) process.signal('SIGKILL');
      await Promise.all(servers.map(({ process }) => process.ended()));
      for (const directory of [root, ...directories]) await rm(directory, { recursive: true, force: true });
    },
  };
}
