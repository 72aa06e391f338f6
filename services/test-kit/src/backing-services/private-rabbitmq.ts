import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from './local-process.js';
import { controlRabbitmq, type LocalRabbitmq, rabbitmqUrl, startRabbitmq } from './rabbitmq.js';

export type PrivateRabbitmq = Awaited<ReturnType<typeof createPrivateRabbitmq>>;

/** Prepares a broker that a test may kill or reconfigure, with additional lines of configuration. It runs after `start`. */
export async function createPrivateRabbitmq(settings: readonly string[]) {
  const directory = await mkdtemp(path.join(tmpdir(), 'partner-rabbitmq-'));
  const port = await freePort();
  let node: LocalRabbitmq | undefined;

  async function kill(): Promise<void> {
    if (node === undefined) return;
    for (const part of [node.process, node.portMapper]) {
      part.signal('SIGKILL');
      await part.ended();
    }
    node = undefined;
  }

  return {
    url: rabbitmqUrl(port),
    async start() {
      node = await startRabbitmq({ directory, port, settings });
    },
    kill,
    async control(...args: readonly string[]) {
      if (node === undefined) throw new Error('the broker does not run');
      return controlRabbitmq(node.controlEnv, 'rabbitmqctl', ...args);
    },
    async remove() {
      await kill();
      // What else was in the group of the killed node ends, and stops writing, a moment later.
      await rm(directory, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
