import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort, type LocalProcess, startLocalProgram } from './local-process.js';
import { controlRabbitmq, rabbitmqPrograms, rabbitmqUrl } from './rabbitmq.js';

/** A node of a cluster, which a test may take down. */
export type RabbitmqNode = RabbitmqCluster['nodes'][number];

export type RabbitmqCluster = Awaited<ReturnType<typeof startRabbitmqCluster>>;

/** Starts three RabbitMQ nodes that form a cluster. They share a port mapper, which stays up. */
export async function startRabbitmqCluster() {
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
      settings: ['cluster_partition_handling = pause_minority', 'net_ticktime = 8'],
    });
  const first = await define(firstPort);
  const mapper = await startLocalProgram(first.portMapper);

  function node(port: number, { server, controlEnv }: typeof first) {
    let local: LocalProcess | undefined;
    return {
      url: rabbitmqUrl(port),
      async start() {
        local = await startLocalProgram(server);
      },
      async kill() {
        local?.signal('SIGKILL');
        await local?.ended();
      },
      /** Closes the node's client connections, refuses new ones, and moves the leaders of its queues to other nodes. */
      async drain() {
        await controlRabbitmq(controlEnv, 'rabbitmq-upgrade', 'drain');
      },
      async revive() {
        await controlRabbitmq(controlEnv, 'rabbitmq-upgrade', 'revive');
      },
      /** Stops the process without closing its connections. */
      hang: () => local?.signal('SIGSTOP'),
      resume: () => local?.signal('SIGCONT'),
    };
  }

  const nodes = [node(firstPort, first)];
  for (const port of [await freePort(), await freePort()]) nodes.push(node(port, await define(port)));
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
