/** Where requests that need the password anew wait for it, however many they are. */
export interface ConfirmationGate {
  /** Waits for the password; false when giving it was called off. */
  ask(): Promise<boolean>;
  /** Lets everybody who waits go on, or not. */
  settle(isConfirmed: boolean): void;
  isAsking(): boolean;
  /** Calls `listen` whenever `isAsking` changes. Gives what ends it. */
  subscribe(listen: () => void): () => void;
}

/** Makes a gate at which nobody waits. */
export function createConfirmationGate(): ConfirmationGate {
  let waiting:
    { readonly promise: Promise<boolean>; readonly settle: (isConfirmed: boolean) => void } | undefined;
  const listeners = new Set<() => void>();
  const tell = () => listeners.forEach((listen) => listen());
  return {
    ask() {
      if (waiting !== undefined) return waiting.promise;
      let settle: (isConfirmed: boolean) => void = () => undefined;
      const promise = new Promise<boolean>((resolve) => {
        settle = resolve;
      });
      waiting = { promise, settle };
      tell();
      return promise;
    },
    settle(isConfirmed) {
      waiting?.settle(isConfirmed);
      waiting = undefined;
      tell();
    },
    isAsking: () => waiting !== undefined,
    subscribe(listen) {
      listeners.add(listen);
      return () => listeners.delete(listen);
    },
  };
}
