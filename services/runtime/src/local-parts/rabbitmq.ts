import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { connect } from 'amqplib';
import {
  findProgram,
  freePort,
  LocalPartError,
  type LocalProcess,
  startLocalProcess,
  stopLocalProcess,
  waitUntilUp,
} from './local-process.js';

/** A private RabbitMQ node on loopback, with a port mapper of its own. */
export interface LocalRabbitmq {
  readonly process: LocalProcess;
  readonly portMapper: LocalProcess;
  /** URL of the default vhost. */
  readonly url: string;
  /** Variables with which `rabbitmqctl` finds this node. */
  readonly controlEnv: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Where distributions keep the programs that run without a change of user. */
export const RABBITMQ_PROGRAM_DIRECTORIES = ['/usr/lib/rabbitmq/bin', '/opt/homebrew/sbin', '/usr/local/sbin'];

/**
 * Starts a RabbitMQ node on a directory of its own. The port mapper (epmd) that Erlang nodes need is a private one too, so
 * that nothing is left behind and no other node is touched.
 */
export async function startRabbitmq(options: {
  readonly directory: string;
  readonly port: number;
  readonly detached?: boolean;
  /** The port mapper's port, for a node that is started again on the same directory. */
  readonly portMapperPort?: number;
}): Promise<LocalRabbitmq> {
  // Debian's wrapper in /usr/sbin changes the user; the program itself stands in /usr/lib.
  const server = RABBITMQ_PROGRAM_DIRECTORIES.map((directory) => path.join(directory, 'rabbitmq-server')).find(existsSync);
  const epmd = findProgram('epmd', ['/usr/lib/erlang/bin']);
  if (server === undefined || epmd === undefined) throw new LocalPartError('RabbitMQ is not installed');

  mkdirSync(options.directory, { recursive: true });
  const configFile = path.join(options.directory, 'rabbitmq.conf');
  writeFileSync(
    configFile,
    [
      `listeners.tcp.1 = 127.0.0.1:${options.port}`,
      'loopback_users = none',
      'vm_memory_high_watermark.relative = 0.4',
      'disk_free_limit.absolute = 100MB',
      '',
    ].join('\n'),
  );
  const pluginsFile = path.join(options.directory, 'enabled_plugins');
  writeFileSync(pluginsFile, '[].\n');
  const portMapperPort = options.portMapperPort ?? (await freePort());
  const distributionPort = await freePort();
  const env: Record<string, string> = {
    PATH: process.env['PATH'] ?? '',
    HOME: options.directory,
    ERL_EPMD_PORT: String(portMapperPort),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: `partner-${options.port}@localhost`,
    RABBITMQ_NODE_PORT: String(options.port),
    RABBITMQ_DIST_PORT: String(distributionPort),
    RABBITMQ_CONFIG_FILE: configFile,
    RABBITMQ_ENABLED_PLUGINS_FILE: pluginsFile,
    RABBITMQ_MNESIA_BASE: path.join(options.directory, 'data'),
    RABBITMQ_LOG_BASE: path.join(options.directory, 'log'),
    RABBITMQ_LOGS: '-',
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1} +sbwt none +sbwtdcpu none',
    LANG: 'C.UTF-8',
  };
  const detached = options.detached ?? false;
  const portMapper = startLocalProcess({
    name: 'epmd',
    command: epmd,
    args: ['-port', String(portMapperPort), '-address', '127.0.0.1'],
    env,
    cwd: options.directory,
    logFile: path.join(options.directory, 'epmd.log'),
    detached,
  });
  const local = startLocalProcess({
    name: 'rabbitmq',
    command: server,
    args: [],
    env,
    cwd: options.directory,
    logFile: path.join(options.directory, 'rabbitmq.log'),
    detached,
  });
  const url = `amqp://guest:guest@127.0.0.1:${options.port}`;
  const stop = async () => {
    await stopLocalProcess(local, 'SIGTERM', 30_000);
    await stopLocalProcess(portMapper, 'SIGTERM');
  };
  try {
    await waitUntilUp(local, () => acceptsConnections(url), 90_000);
  } catch (error) {
    await stop();
    throw error;
  }
  return { process: local, portMapper, url, controlEnv: env, stop };
}

async function acceptsConnections(url: string): Promise<boolean> {
  const connection = await connect(url, { timeout: 2_000 });
  connection.on('error', () => undefined);
  await connection.close();
  return true;
}
