import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '../eventually.js';
import { freePort, type LocalProcess, startLocalProgram } from './local-process.js';
import { redisProgram, redisUrl, respondsToPing, withRedis } from './redis.js';

/** Several Redis servers, one of which a replica can replace. */
export interface RedisGroup {
  readonly url: string;
  /** URLs of the servers with data. */
  readonly serverUrls: readonly string[];
  /** Kills a primary that has a replica. */
  killPrimary(): void;
  remove(): Promise<void>;
}

/** Name of the primary at the Sentinels. */
const GROUP = 'partner';
/** After this time a silent server is replaced. */
const SILENT_MS = 2_000;
/** Passwords of the servers with data, and of the Sentinels. */
const PASSWORD = 'password-of-data';
const SENTINEL_PASSWORD = 'password-of-sentinels';
/** A Redis Cluster has this many hash slots. */
const SLOTS = 16_384;

function urlWith(password: string, port: number): string {
  const url = new URL(redisUrl(port));
  url.password = password;
  return url.href;
}

async function prepareServers() {
  const directory = await mkdtemp(path.join(tmpdir(), 'partner-redis-group-'));
  const running: LocalProcess[] = [];
  const directoryOf = (port: number) => path.join(directory, String(port));
  return {
    async start(port: number, args: readonly string[], url = redisUrl(port)): Promise<LocalProcess> {
      const program = redisProgram({ directory: directoryOf(port), port });
      const server = await startLocalProgram({
        ...program,
        args: [...program.args, ...args],
        isUp: () => respondsToPing(url),
      });
      running.push(server);
      return server;
    },
    async startSentinel(port: number, primaryPort: number): Promise<void> {
      const program = redisProgram({ directory: directoryOf(port), port });
      const file = path.join(directoryOf(port), 'sentinel.conf');
      const settings = [
        `port ${port}`,
        'bind 127.0.0.1',
        `requirepass ${SENTINEL_PASSWORD}`,
        `sentinel sentinel-pass ${SENTINEL_PASSWORD}`,
        `sentinel monitor ${GROUP} 127.0.0.1 ${primaryPort} 2`,
        `sentinel auth-pass ${GROUP} ${PASSWORD}`,
        `sentinel down-after-milliseconds ${GROUP} ${SILENT_MS}`,
        `sentinel failover-timeout ${GROUP} ${5 * SILENT_MS}`,
      ];
      const prepare = async () => {
        await program.prepare?.();
        await writeFile(file, `${settings.join('\n')}\n`);
      };
      const isUp = () => respondsToPing(urlWith(SENTINEL_PASSWORD, port));
      running.push(await startLocalProgram({ ...program, args: [file, '--sentinel'], prepare, isUp }));
    },
    async remove() {
      for (const server of running) server.signal('SIGKILL');
      await Promise.all(running.map((server) => server.ended()));
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Starts a primary with a replica, and three Sentinels. All have passwords. */
export async function startRedisWithSentinels(): Promise<RedisGroup> {
  const servers = await prepareServers();
  const [primaryPort, replicaPort] = [await freePort(), await freePort()];
  const startServer = (port: number, args: readonly string[] = []) =>
    servers.start(
      port,
      ['--requirepass', PASSWORD, '--masterauth', PASSWORD, ...args],
      urlWith(PASSWORD, port),
    );
  const primary = await startServer(primaryPort);
  await startServer(replicaPort, ['--replicaof', '127.0.0.1', String(primaryPort)]);
  const sentinelPorts = [await freePort(), await freePort(), await freePort()];
  for (const port of sentinelPorts) {
    await servers.startSentinel(port, primaryPort);
    await withRedis(urlWith(SENTINEL_PASSWORD, port), (client) =>
      eventually('the Sentinel knows the replica', async () => {
        const replicas = await client.call('SENTINEL', 'REPLICAS', GROUP);
        return Array.isArray(replicas) && replicas.length === 1;
      }),
    );
  }
  for (const port of sentinelPorts) {
    await withRedis(urlWith(SENTINEL_PASSWORD, port), (client) =>
      eventually('the Sentinels know one another', async () => {
        const others = await client.call('SENTINEL', 'SENTINELS', GROUP);
        return Array.isArray(others) && others.length === sentinelPorts.length - 1;
      }),
    );
  }
  return {
    url: sentinelPorts
      .map(
        (port) =>
          `redis-sentinel://:${PASSWORD}@127.0.0.1:${port}/0?group=${GROUP}&sentinelPassword=${SENTINEL_PASSWORD}`,
      )
      .join(','),
    serverUrls: [primaryPort, replicaPort].map((port) => urlWith(PASSWORD, port)),
    killPrimary: () => primary.signal('SIGKILL'),
    remove: servers.remove,
  };
}

/** Starts a cluster of three primaries, the first of which has a replica. */
export async function startRedisCluster(): Promise<RedisGroup> {
  const servers = await prepareServers();
  const ports = [await freePort(), await freePort(), await freePort(), await freePort()];
  const [firstPort = 0, ...others] = ports;
  const busPorts = new Map<number, number>();
  const processes: LocalProcess[] = [];
  for (const port of ports) {
    const busPort = await freePort();
    busPorts.set(port, busPort);
    processes.push(
      await servers.start(port, [
        ...['--cluster-enabled', 'yes', '--cluster-port', String(busPort)],
        ...['--cluster-node-timeout', String(SILENT_MS)],
      ]),
    );
  }
  const run = (port: number, ...command: readonly string[]) =>
    withRedis(redisUrl(port), async (client) => String(await client.call('CLUSTER', ...command)));
  const primaries = ports.slice(0, 3);
  for (const [index, port] of primaries.entries()) {
    const bound = (n: number) => Math.floor((n * SLOTS) / primaries.length);
    await run(port, 'ADDSLOTSRANGE', String(bound(index)), String(bound(index + 1) - 1));
  }
  for (const port of others)
    await run(firstPort, 'MEET', '127.0.0.1', String(port), String(busPorts.get(port)));
  for (const port of ports) {
    await eventually('the nodes form a cluster', async () => {
      const info = await run(port, 'INFO');
      return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${ports.length}`);
    });
  }
  const replicaPort = ports.at(-1) ?? 0;
  await run(replicaPort, 'REPLICATE', await run(firstPort, 'MYID'));
  await withRedis(redisUrl(replicaPort), (client) =>
    eventually('the replica is complete', async () =>
      (await client.info('replication')).includes('master_link_status:up'),
    ),
  );
  return {
    url: ports.map((port) => `redis-cluster://127.0.0.1:${port}`).join(','),
    serverUrls: ports.map(redisUrl),
    killPrimary: () => processes[0]?.signal('SIGKILL'),
    remove: servers.remove,
  };
}
