import { setTimeout as delay } from 'node:timers/promises';
import { OperatorError } from './exit-codes.js';

export async function pollUntil<T>(
  what: string,
  options: { readonly timeoutMs: number; readonly everyMs: number; readonly signal: AbortSignal },
  ask: () => Promise<T | undefined>,
): Promise<T> {
  const deadline = performance.now() + options.timeoutMs;
  for (;;) {
    if (options.signal.aborted) throw interrupted();
    const found = await ask();
    if (found !== undefined) return found;
    if (performance.now() > deadline)
      throw new OperatorError('failed', `${what}: not within ${Math.round(options.timeoutMs / 1_000)} s`);
    await delay(options.everyMs, undefined, { signal: options.signal }).catch(() => undefined);
  }
}

export function interrupted(): OperatorError {
  return new OperatorError('interrupted', 'interrupted');
}
