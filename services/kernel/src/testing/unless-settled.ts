import { outcomeUnknown } from '../amqp/rpc-error.js';

/** Rejects as a call does whose caller has cancelled it or whose deadline has passed. */
export function unlessSettled(
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
): { readonly promise: Promise<never>; readonly cancel: () => void } {
  let cancel = (): void => undefined;
  const promise = new Promise<never>((_resolve, reject) => {
    const giveUp = () => reject(outcomeUnknown(signal?.reason));
    const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs);
    signal?.addEventListener('abort', giveUp);
    cancel = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    };
  });
  return { promise, cancel };
}
