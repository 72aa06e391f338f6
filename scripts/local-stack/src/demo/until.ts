import { setTimeout as delay } from 'node:timers/promises';
import { DemoError } from './demo-error.js';

/** Asks again until there is an answer. Throws {@link DemoError} that names what was waited for when the time is over. */
export async function until<T>(
  what: string,
  options: { readonly timeoutMs: number; readonly everyMs: number; readonly signal: AbortSignal },
  ask: () => Promise<T | undefined>,
): Promise<T> {
  const deadline = Date.now() + options.timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new DemoError(`${what}: not within ${options.timeoutMs / 1000} s`);
    await delay(options.everyMs, undefined, { signal: options.signal });
  }
}
