import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

/**
 * The commands on the service's keys that clients send to a database of Redis while some work is done, in their order. What a
 * script does inside the server is none of them, and the limiter's own probe is left out.
 */
export async function watchRedis(redisUrl: string, work: () => Promise<void>): Promise<readonly string[]> {
  const { hostname, port, pathname } = new URL(redisUrl);
  const ofDatabase = ` [${pathname.slice(1) || '0'} `;
  const [watcher, marker] = [connect(Number(port), hostname), connect(Number(port), hostname)];
  const lines = createInterface({ input: watcher })[Symbol.asyncIterator]();
  try {
    watcher.write('MONITOR\r\n');
    await lines.next();
    await work();
    // Commands before this one in the watcher's list reached the server before it.
    marker.write('ECHO watched\r\n');
    await once(marker, 'data');
    const commands: string[] = [];
    for (;;) {
      const line = String((await lines.next()).value);
      if (line.includes('"watched"')) return commands;
      const isOfRequest =
        line.includes(ofDatabase) && line.includes('"partner:') && !line.includes('{probe}');
      if (isOfRequest && !/\[\d+ lua\]/.test(line)) commands.push(line);
    }
  } finally {
    watcher.destroy();
    marker.destroy();
  }
}
