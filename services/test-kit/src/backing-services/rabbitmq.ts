import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect as connectSocket } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { type ChannelModel, connect } from 'amqplib';
import {
  findProgram,
  freePort,
  LocalServerError,
  type LocalProcess,
  type LocalProgram,
  startLocalProgram,
} from './local-process.js';

const run = promisify(execFile);

/** A private RabbitMQ node on loopback, with its own port mapper. */
export interface LocalRabbitmq {
  readonly process: LocalProcess;
  readonly portMapper: LocalProcess;
  /** URL of the default vhost. */
  readonly url: string;
  /** Environment with which `rabbitmqctl` finds this node. */
  readonly controlEnv: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

interface RabbitmqOptions {
  readonly directory: string;
  readonly port: number;
  /** Directory of its logs; absent: its own directory. */
  readonly logDirectory?: string;
  /** Vhosts in addition to the default one. */
  readonly vhosts?: readonly string[];
  /** Additional lines of its configuration. */
  readonly settings?: readonly string[];
  /** Nodes of one cluster have the same secret and port mapper. All but the first join it when they start first. */
  readonly cluster?: { readonly cookie: string; readonly firstPort: number };
}

/** Directories in which distributions install the programs that do not change the user. */
const PROGRAM_DIRECTORIES = ['/usr/lib/rabbitmq/bin', '/opt/homebrew/sbin', '/usr/local/sbin'];

/** Returns the server program; undefined if it, or the Erlang port mapper, is not installed. */
export function findRabbitmq(): { readonly server: string; readonly portMapper: string } | undefined {
  // Debian's wrapper in /usr/sbin changes the user; the program itself is in /usr/lib.
  const server = PROGRAM_DIRECTORIES.map((directory) => path.join(directory, 'rabbitmq-server')).find(
    (file) => existsSync(file),
  );
  const portMapper = findProgram('epmd', [
    '/usr/bin',
    '/usr/lib/erlang/bin',
    '/opt/homebrew/bin',
    '/usr/local/bin',
  ]);
  return server === undefined || portMapper === undefined ? undefined : { server, portMapper };
}

/** Runs a command of RabbitMQ, e.g. `rabbitmqctl`, on the node of this environment, and resolves to its output. */
export async function controlRabbitmq(
  controlEnv: Readonly<Record<string, string>>,
  command: 'rabbitmqctl' | 'rabbitmq-upgrade',
  ...args: readonly string[]
): Promise<string> {
  const server = findRabbitmq()?.server;
  if (server === undefined) throw new LocalServerError('RabbitMQ is not installed');
  // The program beside the server; Debian's wrapper of the same name changes the user.
  const { stdout } = await run(path.join(path.dirname(server), command), ['--quiet', ...args], {
    env: { ...controlEnv },
  });
  return stdout;
}

/** Returns the address of the default vhost of a private node on this port. */
export function rabbitmqUrl(port: number): string {
  return `amqp://guest:guest@127.0.0.1:${port}`;
}

/**
 * Defines a RabbitMQ node as a private instance in its own directory. The port mapper (epmd) of Erlang nodes is
 * private too, so that it ends with the node and affects no other node. It must be up before the node starts.
 * Throws {@link LocalServerError} if RabbitMQ is not installed.
 */
export function rabbitmqPrograms(
  options: RabbitmqOptions & { readonly portMapperPort: number; readonly distributionPort: number },
): {
  readonly portMapper: LocalProgram;
  readonly server: LocalProgram;
  readonly controlEnv: Record<string, string>;
} {
  const found = findRabbitmq();
  if (found === undefined) throw new LocalServerError('RabbitMQ is not installed');
  const logDirectory = options.logDirectory ?? options.directory;
  const configFile = path.join(options.directory, 'rabbitmq.conf');
  const definitionsFile = path.join(options.directory, 'definitions.json');
  const pluginsFile = path.join(options.directory, 'enabled_plugins');
  const controlEnv: Record<string, string> = {
    PATH: process.env['PATH'] ?? '',
    HOME: options.directory,
    ERL_EPMD_PORT: String(options.portMapperPort),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: nodeName(options.port),
    RABBITMQ_NODE_PORT: String(options.port),
    RABBITMQ_DIST_PORT: String(options.distributionPort),
    RABBITMQ_CONFIG_FILE: configFile,
    RABBITMQ_ENABLED_PLUGINS_FILE: pluginsFile,
    RABBITMQ_MNESIA_BASE: path.join(options.directory, 'data'),
    RABBITMQ_LOG_BASE: path.join(options.directory, 'log'),
    RABBITMQ_LOGS: '-',
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS:
      '-kernel inet_dist_use_interface {127,0,0,1} +sbwt none +sbwtdcpu none',
    // A node or a command that is killed while it starts leaves no dump behind.
    ERL_CRASH_DUMP_SECONDS: '0',
    LANG: 'C.UTF-8',
  };
  const prepare = async () => {
    await mkdir(options.directory, { recursive: true });
    await writeFile(pluginsFile, '[].\n');
    const { cluster } = options;
    const cookieFile = path.join(options.directory, '.erlang.cookie');
    if (cluster !== undefined && !existsSync(cookieFile)) {
      await writeFile(cookieFile, cluster.cookie, { mode: 0o400 });
    }
    await writeFile(definitionsFile, JSON.stringify(definitions(options.vhosts ?? [])));
    await writeFile(
      configFile,
      [
        `listeners.tcp.1 = 127.0.0.1:${options.port}`,
        'loopback_users = none',
        'vm_memory_high_watermark.relative = 0.4',
        'disk_free_limit.absolute = 100MB',
        `load_definitions = ${definitionsFile}`,
        ...(options.settings ?? []),
        ...(cluster === undefined || cluster.firstPort === options.port ? [] : joinOf(cluster.firstPort)),
        '',
      ].join('\n'),
    );
  };
  return {
    controlEnv,
    portMapper: {
      name: 'rabbitmq-port-mapper',
      command: found.portMapper,
      args: ['-port', String(options.portMapperPort), '-address', '127.0.0.1'],
      env: controlEnv,
      cwd: options.directory,
      logFile: path.join(logDirectory, 'rabbitmq-port-mapper.log'),
      prepare,
      isUp: () => acceptsConnections(options.portMapperPort),
      startTimeoutMs: 120_000,
      stopSignal: 'SIGTERM',
      stopGraceMs: 15_000,
    },
    server: {
      name: 'rabbitmq',
      command: found.server,
      args: [],
      // Makes the start script exec the server, so that the server receives our signals.
      env: { ...controlEnv, RUNNING_UNDER_SYSTEMD: 'true' },
      cwd: options.directory,
      logFile: path.join(logDirectory, 'rabbitmq.log'),
      prepare,
      isUp: () => opensConnections(rabbitmqUrl(options.port)),
      startTimeoutMs: 300_000,
      stopSignal: 'SIGTERM',
      stopGraceMs: 30_000,
    },
  };
}

function nodeName(port: number): string {
  return `partner-${port}@localhost`;
}

function joinOf(firstPort: number): readonly string[] {
  return [
    'cluster_formation.peer_discovery_backend = classic_config',
    `cluster_formation.classic_config.nodes.1 = ${nodeName(firstPort)}`,
  ];
}

/** Returns the broker definitions: the default vhost and others, with full access for the user `guest`. */
function definitions(vhosts: readonly string[]): unknown {
  const names = ['/', ...vhosts];
  return {
    users: [{ name: 'guest', password: 'guest', tags: 'administrator' }],
    vhosts: names.map((name) => ({ name })),
    permissions: names.map((vhost) => ({ user: 'guest', vhost, configure: '.*', write: '.*', read: '.*' })),
  };
}

export async function startRabbitmq(options: RabbitmqOptions): Promise<LocalRabbitmq> {
  const programs = rabbitmqPrograms({
    ...options,
    portMapperPort: await freePort(),
    distributionPort: await freePort(),
  });
  const portMapper = await startLocalProgram(programs.portMapper);
  try {
    const process = await startLocalProgram(programs.server);
    return {
      process,
      portMapper,
      url: rabbitmqUrl(options.port),
      controlEnv: programs.controlEnv,
      async stop() {
        await process.stop();
        await portMapper.stop();
      },
    };
  } catch (error) {
    await portMapper.stop();
    throw error;
  }
}

/** Runs commands on a new connection. Throws errors of the broker or the network. */
export async function withRabbitmq<T>(
  url: string,
  work: (connection: ChannelModel) => Promise<T>,
): Promise<T> {
  const connection = await connect(url, { timeout: 60_000 });
  connection.on('error', () => undefined);
  try {
    return await work(connection);
  } finally {
    await connection.close().catch(() => undefined);
  }
}

async function opensConnections(url: string): Promise<boolean> {
  return withRabbitmq(url, async () => true);
}

/** Whether a port on loopback accepts connections. */
export async function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectSocket({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
