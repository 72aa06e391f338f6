import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort, type LocalProcess, startLocalProgram } from './local-process.js';
import { rabbitmqPrograms, rabbitmqUrl } from './rabbitmq.js';

/** A node of a cluster, which a test may kill. */
interface RabbitmqNode {
  readonly url: string;
  /** Starts the node again, with its old data. */
  start(): Promise<void>;
  kill(): Promise<void>;
}

/** A broker of three nodes on loopback. */
export interface RabbitmqCluster {
  readonly nodes: readonly RabbitmqNode[];
  /** Kills all nodes and removes their directories. */
  remove(): Promise<void>;
}

/** Starts three RabbitMQ nodes that form a cluster. They share a port mapper, which stays up. */
export async function startRabbitmqCluster(): Promise<RabbitmqCluster> {
  const directory = await mkdtemp(path.join(tmpdir(), 'partner-rabbitmq-cluster-'));
  const portMapperPort = await freePort();
  const cookie = randomBytes(16).toString('hex');
  const firstPort = await freePort();
  const define = async (port: number) =>
    rabbitmqPrograms({
      directory: path.join(directory, String(port)),
      port,
      portMapperPort,
      distributionPort: await freePort(),
      cluster: { cookie, firstPort },
    });
  const first = await define(firstPort);
  const mapper = await startLocalProgram(first.portMapper, { detached: false });
  const running = new Map<string, LocalProcess>();

  function node(port: number, server: (typeof first)['server']): RabbitmqNode {
    const url = rabbitmqUrl(port);
    return {
      url,
      async start() {
        running.set(url, await startLocalProgram(server, { detached: false }));
      },
      async kill() {
        const local = running.get(url);
        local?.signal('SIGKILL');
        await local?.ended();
      },
    };
  }

  const nodes = [node(firstPort, first.server)];
  for (const port of [await freePort(), await freePort()])
    nodes.push(node(port, (await define(port)).server));
  // Each node joins the running ones.
  for (const each of nodes) await each.start();

  return {
    nodes,
    async remove() {
      for (const each of nodes) await each.kill();
      mapper.signal('SIGKILL');
      await mapper.ended();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
