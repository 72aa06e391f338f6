import { setTimeout as delay } from 'node:timers/promises';

/**
 * Asks again until the probe gives something else than undefined or false. For the state of a server that tells nobody when
 * it changes; wait for a message or a row where there is one. Rejects after `timeoutMs` (absent: 120,000).
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 120_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`${what} did not come about within ${timeoutMs} ms`);
    await delay(25);
  }
}
